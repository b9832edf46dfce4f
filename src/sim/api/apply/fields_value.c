// FieldPath sets of trees: what a tree holds, how two trees differ, merging and pruning.
//
// Behaviour: sigs.k8s.io/structured-merge-diff v6, typed values (ToFieldSet, Compare, Merge, RemoveItems).
#include "sim/api/apply/fields.h"

#include "sim/api/apply/list_schema.h"
#include "text/json.h"
#include "text/value_edit.h"

// Where a walk is: which lists are maps depends on it.
typedef struct {
    Arena *arena;
    bool custom, in_metadata;
    Slice name; // of the member that holds the value
} Place;

static Place below(const Place *place, Slice name) {
    bool in_metadata = place->in_metadata || (place->name.len == 0 && slice_eq_text(name, "metadata"));

    return (Place){place->arena, place->custom, in_metadata, name};
}

static ListSchema schema_at(const Place *place) {
    return list_schema(place->name, place->custom, place->in_metadata);
}

static Slice field_step(const Place *place, Slice name) {
    char *text = arena_alloc_raw(place->arena, name.len + 2);

    memcpy(text, "f:", 2);
    if (name.len)
        memcpy(text + 2, name.ptr, name.len);
    return (Slice){text, name.len + 2};
}

static Slice printed(const Place *place, const char *prefix, const Value *value) {
    Buffer text = {0};
    Slice step;

    buffer_append(&text, slice_of(prefix));
    json_print(&text, value, false);
    step = arena_slice(place->arena, buffer_slice(&text));
    buffer_free(&text);
    return step;
}

// The step of a list's element; keys in the order of their names, as FieldsV1 has them.
static Slice element_step(const Place *place, const ListSchema *schema, const Value *element) {
    Value keys = value_map();

    if (schema->type == LIST_SET)
        return printed(place, "v:", element);
    for (uint32_t i = 0; i < schema->key_count; i++) {
        const Value *key = value_get(element, schema->keys[i].name);

        if (key)
            value_put(place->arena, &keys, schema->keys[i].name, *key);
        else if (schema->keys[i].fallback.len)
            value_put(place->arena, &keys, schema->keys[i].name, value_string(schema->keys[i].fallback));
    }
    return printed(place, "k:", &keys);
}

static const Value *find_element(const Place *place, const ListSchema *schema, const Value *list, Slice step) {
    for (uint32_t i = 0; list && i < list->list.count; i++) {
        if (slice_eq(element_step(place, schema, &list->list.items[i]), step))
            return &list->list.items[i];
    }
    return NULL;
}

static bool is_branch(const Place *place, const Value *value) {
    if (!value)
        return false;
    if (value->kind == VALUE_MAP)
        return value->map.count > 0;
    return value->kind == VALUE_LIST && value->list.count > 0 && schema_at(place).type != LIST_ATOMIC;
}

// What a tree holds.

static FieldPath hold(const Place *place, const Value *value, bool containers);

// An element of a list belongs to who names it, with all it holds.
static void hold_elements(const Place *place, const Value *list, bool containers, FieldPath *set) {
    ListSchema schema = schema_at(place);

    for (vec_each(const Value, element, &list->list)) {
        Place inside = {place->arena, place->custom, place->in_metadata, SLICE("-")};
        FieldPath child = hold(&inside, element, containers);

        child.step = element_step(place, &schema, element);
        child.member = true;
        vec_push(place->arena, &set->children, child);
    }
}

// `containers`: maps and lists count as members themselves, as in comparisons.
static FieldPath hold(const Place *place, const Value *value, bool containers) {
    FieldPath set = {.member = containers || !is_branch(place, value)};

    if (!is_branch(place, value))
        return set;
    if (value->kind == VALUE_LIST) {
        hold_elements(place, value, containers, &set);
        return set;
    }
    for (vec_each(const ValueMember, member, &value->map)) {
        Place inside = below(place, member->key);
        FieldPath child = hold(&inside, &member->value, containers);

        child.step = field_step(place, member->key);
        vec_push(place->arena, &set.children, child);
    }
    return set;
}

FieldPath fields_of(Arena *arena, const Value *config, bool custom) {
    Place root = {arena, custom, false, SLICE("")};
    FieldPath set = hold(&root, config, false);

    set.member = false;
    return set;
}

// How two trees differ.

typedef struct {
    FieldPath *set, *removed; // of the place where the walk is
} Changes;

static void compare(const Place *place, const Value *old, const Value *next, Changes changes);

static void compare_child(const Place *inside, Slice step, const Value *old, const Value *next, Changes changes) {
    FieldPath set = {.step = step}, removed = {.step = step};

    compare(inside, old, next, (Changes){&set, &removed});
    if (!fields_are_empty(&set))
        vec_push(inside->arena, &changes.set->children, set);
    if (!fields_are_empty(&removed))
        vec_push(inside->arena, &changes.removed->children, removed);
}

static void compare_maps(const Place *place, const Value *old, const Value *next, Changes changes) {
    for (vec_each(const ValueMember, member, &next->map)) {
        Place inside = below(place, member->key);

        compare_child(&inside, field_step(place, member->key), value_get(old, member->key), &member->value, changes);
    }
    for (vec_each(const ValueMember, member, &old->map)) {
        Place inside = below(place, member->key);

        if (!value_get(next, member->key))
            compare_child(&inside, field_step(place, member->key), &member->value, NULL, changes);
    }
}

static void compare_lists(const Place *place, const Value *old, const Value *next, Changes changes) {
    Place inside = {place->arena, place->custom, place->in_metadata, SLICE("-")};
    ListSchema schema = schema_at(place);

    for (vec_each(const Value, element, &next->list)) {
        Slice step = element_step(place, &schema, element);

        compare_child(&inside, step, find_element(place, &schema, old, step), element, changes);
    }
    for (vec_each(const Value, element, &old->list)) {
        Slice step = element_step(place, &schema, element);

        if (!find_element(place, &schema, next, step))
            compare_child(&inside, step, element, NULL, changes);
    }
}

// Whether two values are compared by what they hold: an empty container on one side is one without members.
static bool are_comparable(const Place *place, const Value *old, const Value *next) {
    if (!old || !next || old->kind != next->kind)
        return false;
    return is_branch(place, old) || is_branch(place, next);
}

static void compare(const Place *place, const Value *old, const Value *next, Changes changes) {
    Slice set_step = changes.set->step, removed_step = changes.removed->step;

    if (are_comparable(place, old, next)) {
        if (old->kind == VALUE_MAP)
            compare_maps(place, old, next, changes);
        else
            compare_lists(place, old, next, changes);
    } else if (!old || !next) {
        if (next)
            *changes.set = hold(place, next, true);
        else
            *changes.removed = hold(place, old, true);
    } else if (!value_eq(old, next)) {
        *changes.set = hold(place, next, false);
    }
    changes.set->step = set_step;
    changes.removed->step = removed_step;
}

FieldsChanged fields_compare(Arena *arena, const Value *old, const Value *next, bool custom) {
    Place root = {arena, custom, false, SLICE("")};
    FieldsChanged changed = {0};

    compare(&root, old, next, (Changes){&changed.set, &changed.removed});
    return changed;
}

// Merging and pruning.

static void merge(const Place *place, Value *target, const Value *config);

// A merge of two lists under way: the elements of both by their steps, and how far each was taken.
typedef struct {
    const Place *place;
    Place inside;
    const Value *left, *right; // what is there, and what is applied
    SliceVec left_steps, right_steps;
    uint32_t left_at, right_at;
    Value merged;
} ListMerge;

static int64_t find_step_in(const SliceVec *steps, Slice step) {
    for (uint32_t i = 0; i < steps->count; i++) {
        if (slice_eq(steps->items[i], step))
            return i;
    }
    return -1;
}

static SliceVec steps_of(const Place *place, const ListSchema *schema, const Value *list) {
    SliceVec steps = {0};

    for (vec_each(const Value, element, &list->list))
        vec_push(place->arena, &steps, element_step(place, schema, element));
    return steps;
}

static void take_right(ListMerge *lists) {
    Slice step = lists->right_steps.items[lists->right_at];
    int64_t at = find_step_in(&lists->left_steps, step);
    const Value *element = &lists->right->list.items[lists->right_at++];
    Value taken = value_copy_tree(lists->place->arena, at < 0 ? element : &lists->left->list.items[at]);

    if (at >= 0)
        merge(&lists->inside, &taken, element);
    value_append(lists->place->arena, &lists->merged, taken);
}

// The next element of the right list, from where it stands, that is also in the left one.
static bool is_next_shared(const ListMerge *lists, Slice step) {
    for (uint32_t i = lists->right_at; i < lists->right_steps.count; i++) {
        if (find_step_in(&lists->left_steps, lists->right_steps.items[i]) >= 0)
            return slice_eq(lists->right_steps.items[i], step);
    }
    return false;
}

// The order of the right list is kept; what only the left one has stays before what it stood before.
static void merge_lists(const Place *place, Value *target, const Value *config) {
    ListSchema schema = schema_at(place);
    ListMerge lists = {.place = place,
                       .inside = {place->arena, place->custom, place->in_metadata, SLICE("-")},
                       .left = target,
                       .right = config,
                       .left_steps = steps_of(place, &schema, target),
                       .right_steps = steps_of(place, &schema, config),
                       .merged = value_list()};

    while (lists.left_at < lists.left_steps.count || lists.right_at < lists.right_steps.count) {
        bool has_left = lists.left_at < lists.left_steps.count;
        Slice step = has_left ? lists.left_steps.items[lists.left_at] : SLICE("");
        bool shared = has_left && find_step_in(&lists.right_steps, step) >= 0;

        if (has_left && !shared) {
            value_append(place->arena, &lists.merged, target->list.items[lists.left_at++]);
        } else if (shared && !is_next_shared(&lists, step)) {
            lists.left_at++; // its turn came already, or comes later
        } else {
            CHECK(lists.right_steps.items);
            lists.left_at += has_left && slice_eq(step, lists.right_steps.items[lists.right_at]);
            take_right(&lists);
        }
    }
    *target = lists.merged;
}

static void merge(const Place *place, Value *target, const Value *config) {
    if (target->kind == VALUE_LIST && is_branch(place, config) && config->kind == VALUE_LIST) {
        merge_lists(place, target, config);
        return;
    }
    if (target->kind != VALUE_MAP || config->kind != VALUE_MAP) {
        *target = value_copy_tree(place->arena, config);
        return;
    }
    for (vec_each(const ValueMember, member, &config->map)) {
        Place inside = below(place, member->key);
        Value *old = value_find(target, member->key);

        if (old)
            merge(&inside, old, &member->value);
        else
            value_put(place->arena, target, member->key, value_copy_tree(place->arena, &member->value));
    }
}

void fields_merge(Arena *arena, Value *target, const Value *config, bool custom) {
    Place root = {arena, custom, false, SLICE("")};

    merge(&root, target, config);
}

static const FieldPath *find_step(const FieldPath *set, Slice step) {
    for (vec_each(const FieldPath, child, &set->children)) {
        if (slice_eq(child->step, step))
            return child;
    }
    return NULL;
}

// A member goes whole when nothing below it stays.
static void prune(const Place *place, Value *target, const FieldPath *set) {
    ListSchema schema = schema_at(place);

    for (uint32_t i = target->kind == VALUE_MAP ? target->map.count : 0; i-- > 0;) {
        ValueMember *member = &target->map.items[i];
        const FieldPath *child = find_step(set, field_step(place, member->key));
        Place inside = below(place, member->key);

        if (!child)
            continue;
        prune(&inside, &member->value, child);
        if (child->member && !(member->value.kind == VALUE_MAP && member->value.map.count))
            value_remove(target, member->key);
    }
    for (uint32_t i = target->kind == VALUE_LIST && schema.type != LIST_ATOMIC ? target->list.count : 0; i-- > 0;) {
        const FieldPath *child = find_step(set, element_step(place, &schema, &target->list.items[i]));
        Place inside = {place->arena, place->custom, place->in_metadata, SLICE("-")};

        if (!child)
            continue;
        prune(&inside, &target->list.items[i], child);
        if (child->member)
            value_list_remove(target, i);
    }
}

void fields_remove_from(Arena *arena, Value *target, const FieldPath *set, bool custom) {
    Place root = {arena, custom, false, SLICE("")};

    prune(&root, target, set);
}
