// Merging a strategic merge patch into a tree.
#include "sim/api/strategic.h"

#include "sim/api/list_schema.h"

#define DELETE_FROM "$deleteFromPrimitiveList/"
#define SET_ORDER   "$setElementOrder/"

typedef struct {
    const Request *request;
    Arena *arena;
} Merge;

static ErrCode merge_map(const Merge *merge, Value *target, const Value *patch);

static ErrCode fail(const Merge *merge, const char *what, Slice where) {
    return kube_fail(merge->request->error, KUBE_REASON_BAD_REQUEST, "strategic merge patch: %s: \"%.*s\"", what,
                     SLICE_ARG(where));
}

static Slice directive(const Value *patch) {
    return kube_text(patch, "$patch", NULL);
}

static bool is_directive(Slice key) {
    return slice_eq_text(key, "$patch") || slice_eq_text(key, "$retainKeys") ||
           slice_starts_with(key, SLICE(DELETE_FROM)) || slice_starts_with(key, SLICE(SET_ORDER));
}

// A copy of a new part of the patch, without its directives and nulls.
static ErrCode fresh(const Merge *merge, const Value *patch, Value *ret_value) {
    Value value = value_null();

    if (patch->kind != VALUE_MAP) {
        *ret_value = value_copy_tree(merge->arena, patch);
        return OK;
    }
    TRY(merge_map(merge, &value, patch));
    *ret_value = value;
    return OK;
}

static bool scalar_eq(const Value *a, const Value *b) {
    return a && b && a->kind == b->kind && (a->kind == VALUE_STRING || a->kind == VALUE_NUMBER) &&
           slice_eq(a->text, b->text);
}

static int64_t find_by_key(const Value *list, Slice key, const Value *wanted) {
    for (uint32_t i = 0; i < list->list.count; i++) {
        if (scalar_eq(value_get(&list->list.items[i], key), wanted))
            return i;
    }
    return -1;
}

static int64_t find_scalar(const Value *list, const Value *wanted) {
    for (uint32_t i = 0; i < list->list.count; i++) {
        if (value_eq(&list->list.items[i], wanted))
            return i;
    }
    return -1;
}

static ErrCode merge_element(const Merge *merge, Slice key, Value *list, const Value *element) {
    const Value *wanted = value_get(element, key);
    int64_t at;
    Value made;

    if (!wanted)
        return fail(merge, "an element of a list lacks its merge key", key);
    at = find_by_key(list, key, wanted);
    if (slice_eq_text(directive(element), "delete")) {
        if (at >= 0)
            value_list_remove(list, (uint32_t)at);
        return OK;
    }
    if (at >= 0 && !slice_eq_text(directive(element), "replace"))
        return merge_map(merge, &list->list.items[at], element);
    TRY(fresh(merge, element, &made));
    if (at >= 0)
        list->list.items[at] = made;
    else
        value_append(merge->arena, list, made);
    return OK;
}

static bool replaces_list(const Value *patch) {
    for (vec_each(const Value, element, &patch->list)) {
        if (element->kind == VALUE_MAP && slice_eq_text(directive(element), "replace") && element->map.count == 1)
            return true;
    }
    return false;
}

static ErrCode copy_elements(const Merge *merge, Value *list, const Value *patch) {
    *list = value_list();
    for (vec_each(const Value, element, &patch->list)) {
        Value made;

        if (element->kind == VALUE_MAP && directive(element).len && element->map.count == 1)
            continue;
        TRY(fresh(merge, element, &made));
        value_append(merge->arena, list, made);
    }
    return OK;
}

// Index of the same element of a merged list in `list`; -1: none.
static int64_t place_in(const ListSchema *schema, const Value *list, const Value *element) {
    if (!list || list->kind != VALUE_LIST)
        return -1;
    return schema->type == LIST_MAP ? find_by_key(list, schema->key, value_get(element, schema->key))
                                    : find_scalar(list, element);
}

// Sorts a merged list: the elements that `order` names in its order, the others between them, each before the first one
// that came after it in the old list.
static void arrange(const Merge *merge, const ListSchema *schema, Value *list, const Value *old, const Value *order) {
    Value sorted = value_list(), others = value_list();
    uint32_t at = 0;

    for (vec_each(const Value, wanted, &order->list)) {
        int64_t place = place_in(schema, list, wanted);

        if (place >= 0 && place_in(schema, &sorted, wanted) < 0)
            value_append(merge->arena, &sorted, list->list.items[place]);
    }
    for (vec_each(const Value, other, &list->list)) {
        if (place_in(schema, &sorted, other) < 0)
            value_append(merge->arena, &others, *other);
    }
    *list = value_list();
    for (vec_each(const Value, other, &others.list)) {
        int64_t stood = place_in(schema, old, other);

        for (; at < sorted.list.count && place_in(schema, old, &sorted.list.items[at]) <= stood; at++)
            value_append(merge->arena, list, sorted.list.items[at]);
        value_append(merge->arena, list, *other);
    }
    for (; at < sorted.list.count; at++)
        value_append(merge->arena, list, sorted.list.items[at]);
}

static ErrCode set_order(const Merge *merge, Value *target, const Value *before, Slice name, const Value *order) {
    ListSchema schema = list_schema(name);
    Value *list = value_find(target, name);

    if (list && list->kind == VALUE_LIST && order->kind == VALUE_LIST && schema.type != LIST_ATOMIC)
        arrange(merge, &schema, list, value_get(before, name), order);
    return OK;
}

static ErrCode merge_list(const Merge *merge, Slice name, Value *target, const Value *patch) {
    ListSchema schema = list_schema(name);
    Value old;

    if (schema.type == LIST_ATOMIC || target->kind != VALUE_LIST || replaces_list(patch))
        return copy_elements(merge, target, patch);
    old = value_copy_tree(merge->arena, target);
    for (vec_each(const Value, element, &patch->list)) {
        if (schema.type == LIST_SET) {
            if (find_scalar(target, element) < 0)
                value_append(merge->arena, target, *element);
        } else {
            TRY(merge_element(merge, schema.key, target, element));
        }
    }
    arrange(merge, &schema, target, &old, patch);
    return OK;
}

// Removes the listed elements from a list of texts or numbers.
static ErrCode delete_from(Value *target, Slice name, const Value *elements) {
    Value *list = value_find(target, name);

    for (uint32_t i = 0; list && list->kind == VALUE_LIST && elements->kind == VALUE_LIST && i < elements->list.count;
         i++) {
        int64_t at;

        while ((at = find_scalar(list, &elements->list.items[i])) >= 0)
            value_list_remove(list, (uint32_t)at);
    }
    return OK;
}

static void retain_keys(Value *target, const Value *keys) {
    for (uint32_t i = target->map.count; i-- > 0;) {
        Value key = value_string(target->map.items[i].key);

        if (find_scalar(keys, &key) < 0)
            value_remove(target, target->map.items[i].key);
    }
}

static ErrCode merge_member(const Merge *merge, Value *target, const ValueMember *member) {
    const Value *patch = &member->value;
    Value *old;

    if (patch->kind == VALUE_NULL) {
        value_remove(target, member->key);
        return OK;
    }
    old = value_find(target, member->key);
    if (!old)
        old = value_put(merge->arena, target, member->key, value_null());
    if (patch->kind == VALUE_MAP)
        return merge_map(merge, old, patch);
    if (patch->kind == VALUE_LIST)
        return merge_list(merge, member->key, old, patch);
    *old = *patch;
    return OK;
}

// Directives in the order of strategicpatch: $retainKeys, deletions, members, then element orders.
static ErrCode merge_map(const Merge *merge, Value *target, const Value *patch) {
    const Value *retain = value_get_text(patch, "$retainKeys");
    Value before = value_copy_tree(merge->arena, target);
    Slice what = directive(patch);

    if (what.len && !slice_eq_text(what, "replace") && !slice_eq_text(what, "delete") && !slice_eq_text(what, "merge"))
        return fail(merge, "unknown $patch", what);
    if (target->kind != VALUE_MAP || slice_eq_text(what, "replace") || slice_eq_text(what, "delete"))
        *target = value_map();
    if (slice_eq_text(what, "delete"))
        return OK;
    if (retain && retain->kind == VALUE_LIST)
        retain_keys(target, retain);
    for (vec_each(const ValueMember, member, &patch->map)) {
        if (slice_starts_with(member->key, SLICE(DELETE_FROM)))
            TRY(delete_from(target, slice_from(member->key, sizeof DELETE_FROM - 1), &member->value));
    }
    for (vec_each(const ValueMember, member, &patch->map)) {
        if (!is_directive(member->key))
            TRY(merge_member(merge, target, member));
    }
    for (vec_each(const ValueMember, member, &patch->map)) {
        if (slice_starts_with(member->key, SLICE(SET_ORDER)))
            TRY(set_order(merge, target, &before, slice_from(member->key, sizeof SET_ORDER - 1), &member->value));
    }
    return OK;
}

ErrCode strategic_merge_patch(const Request *request, Value *target, const Value *patch) {
    Merge merge = {request, request->arena};

    return merge_map(&merge, target, patch);
}
