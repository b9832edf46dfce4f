// The algebra of field sets, and their two printed forms.
#include "sim/api/apply/fields.h"

#include "text/json.h"

#include <stdlib.h>

static const FieldPath *child_of(const FieldPath *set, Slice step) {
    for (vec_each(const FieldPath, child, &set->children)) {
        if (slice_eq(child->step, step))
            return child;
    }
    return NULL;
}

bool fields_are_empty(const FieldPath *set) {
    if (set->member)
        return false;
    for (vec_each(const FieldPath, child, &set->children)) {
        if (!fields_are_empty(child))
            return false;
    }
    return true;
}

bool fields_eq(const FieldPath *a, const FieldPath *b) {
    if (a->member != b->member || a->children.count != b->children.count)
        return false;
    for (vec_each(const FieldPath, child, &a->children)) {
        const FieldPath *other = child_of(b, child->step);

        if (!other || !fields_eq(child, other))
            return false;
    }
    return true;
}

static void keep(Arena *arena, FieldPath *set, FieldPath child) {
    if (!fields_are_empty(&child))
        vec_push(arena, &set->children, child);
}

FieldPath fields_union(Arena *arena, const FieldPath *a, const FieldPath *b) {
    FieldPath result = {.step = a->step, .member = a->member || b->member};

    for (vec_each(const FieldPath, child, &a->children)) {
        const FieldPath *other = child_of(b, child->step);

        keep(arena, &result, other ? fields_union(arena, child, other) : *child);
    }
    for (vec_each(const FieldPath, child, &b->children)) {
        if (!child_of(a, child->step))
            keep(arena, &result, *child);
    }
    return result;
}

FieldPath fields_intersection(Arena *arena, const FieldPath *a, const FieldPath *b) {
    FieldPath result = {.step = a->step, .member = a->member && b->member};

    for (vec_each(const FieldPath, child, &a->children)) {
        const FieldPath *other = child_of(b, child->step);

        if (other)
            keep(arena, &result, fields_intersection(arena, child, other));
    }
    return result;
}

FieldPath fields_difference(Arena *arena, const FieldPath *a, const FieldPath *b) {
    FieldPath result = {.step = a->step, .member = a->member && !b->member};

    for (vec_each(const FieldPath, child, &a->children)) {
        const FieldPath *other = child_of(b, child->step);

        keep(arena, &result, other ? fields_difference(arena, child, other) : *child);
    }
    return result;
}

void fields_remove_step(FieldPath *set, Slice step) {
    for (uint32_t i = 0; i < set->children.count; i++) {
        if (!slice_eq(set->children.items[i].step, step))
            continue;
        memmove(&set->children.items[i], &set->children.items[i + 1],
                (set->children.count - i - 1) * sizeof *set->children.items);
        set->children.count--;
        return;
    }
}

// FieldsV1: an empty map is a member, "." says so beside children.

FieldPath fields_read(Arena *arena, const Value *fields_v1) {
    FieldPath set = {.member = !fields_v1 || fields_v1->kind != VALUE_MAP || fields_v1->map.count == 0};

    for (uint32_t i = 0; !set.member && i < fields_v1->map.count; i++) {
        const ValueMember *member = &fields_v1->map.items[i];

        if (slice_eq_text(member->key, ".")) {
            continue;
        } else {
            FieldPath *child = vec_add(arena, &set.children);

            *child = fields_read(arena, &member->value);
            child->step = member->key;
        }
    }
    set.member |= value_get_text(fields_v1, ".") != NULL;
    return set;
}

static int by_step(const void *a, const void *b) {
    return slice_cmp(((const FieldPath *)a)->step, ((const FieldPath *)b)->step);
}

static FieldVec sorted_children(Arena *arena, const FieldPath *set) {
    FieldVec children = set->children;

    if (children.count == 0)
        return children;
    children.items = arena_copy(arena, children.items, children.count * sizeof *children.items);
    qsort(children.items, children.count, sizeof *children.items, by_step);
    return children;
}

Value fields_print(Arena *arena, const FieldPath *set) {
    FieldVec children = sorted_children(arena, set);
    Value map = value_map();

    if (set->member && children.count)
        value_put(arena, &map, SLICE("."), value_map());
    for (vec_each(const FieldPath, child, &children))
        value_put(arena, &map, child->step, fields_print(arena, child));
    return map;
}

// "k:{"name":"c"}" as [name="c"], "v:"x"" as ["x"], "f:a" as .a
static Slice print_step(Arena *arena, Slice step) {
    Slice rest = slice_from(step, 2);
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Buffer text = {0};
    Slice printed;

    if (slice_starts_with(step, SLICE("f:")))
        return arena_printf(arena, ".%.*s", SLICE_ARG(rest));
    if (!slice_starts_with(step, SLICE("k:")) ||
        json_parse(arena, SLICE("fields"), arena_slice(arena, rest), NULL, &documents, &warnings, NULL) != OK ||
        documents.count != 1 || documents.items[0].root.kind != VALUE_MAP)
        return arena_printf(arena, "[%.*s]", SLICE_ARG(rest));
    buffer_append_char(&text, '[');
    for (vec_each(const ValueMember, key, &documents.items[0].root.map)) {
        if (text.len > 1)
            buffer_append_char(&text, ',');
        buffer_append(&text, key->key);
        buffer_append_char(&text, '=');
        json_print(&text, &key->value, false);
    }
    buffer_append_char(&text, ']');
    printed = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return printed;
}

// First what is a member below a node, then what lies deeper.
static void list_paths(Arena *arena, const FieldPath *set, Slice path, SliceVec *paths) {
    FieldVec children = sorted_children(arena, set);

    for (int deeper = 0; deeper < 2; deeper++) {
        for (vec_each(const FieldPath, child, &children)) {
            Slice step = print_step(arena, child->step);
            Slice below = arena_printf(arena, "%.*s%.*s", SLICE_ARG(path), SLICE_ARG(step));

            if (deeper)
                list_paths(arena, child, below, paths);
            else if (child->member)
                vec_push(arena, paths, below);
        }
    }
}

void fields_list_paths(Arena *arena, const FieldPath *set, SliceVec *paths) {
    list_paths(arena, set, SLICE(""), paths);
}
