// metadata: finalizers, grace period, and what updates keep.
#include "sim/api/meta.h"

#include "sim/api/request.h"

#include <stdlib.h>

Value *meta_of(Arena *arena, Value *object) {
    return value_make(arena, object, "metadata", NULL);
}

void meta_drop_empty(Value *object) {
    static const char *const names[] = {"labels", "annotations", "finalizers", "ownerReferences", "generateName"};
    Value *meta = value_find_text(object, "metadata");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const Value *value = value_get(meta, slice_of(names[i]));

        if (value && ((value->kind == VALUE_MAP && value->map.count == 0) ||
                      (value->kind == VALUE_LIST && value->list.count == 0) ||
                      (value->kind == VALUE_STRING && value->text.len == 0)))
            value_remove(meta, slice_of(names[i]));
    }
}

// Whether Go's types omit the empty list or map of that name: some lists are written when empty, maps are not.
static bool is_dropped(Slice name, const Value *value) {
    static const char *const kept_lists[] = {"containers", "drivers", "nodeSelectorTerms"};
    static const char *const dropped_maps[] = {"capacity", "allocatable", "nodeSelector", "requests",
                                               "limits",   "labels",      "annotations",  "matchLabels",
                                               "overhead", "parameters",  "hard",         "disruptedPods"};

    if (value->kind == VALUE_LIST && value->list.count == 0) {
        for (size_t i = 0; i < sizeof kept_lists / sizeof *kept_lists; i++) {
            if (slice_eq_text(name, kept_lists[i]))
                return false;
        }
        return true;
    }
    for (size_t i = 0; value->kind == VALUE_MAP && value->map.count == 0 && i < sizeof dropped_maps / sizeof(char *);
         i++) {
        if (slice_eq_text(name, dropped_maps[i]))
            return true;
    }
    return false;
}

void meta_drop_nulls(Value *value, bool built_in) {
    if (value->kind == VALUE_LIST) {
        for (vec_each(Value, element, &value->list))
            meta_drop_nulls(element, built_in);
    }
    if (value->kind != VALUE_MAP)
        return;
    for (uint32_t i = value->map.count; i-- > 0;) {
        ValueMember *member = &value->map.items[i];

        meta_drop_nulls(&member->value, built_in);
        if (member->value.kind == VALUE_NULL || (built_in && is_dropped(member->key, &member->value)))
            value_remove(value, member->key);
    }
}

static const Value *finalizers_of(const Value *object) {
    const Value *list = value_at(object, "metadata", "finalizers", NULL);

    return list && list->kind == VALUE_LIST && list->list.count ? list : NULL;
}

uint32_t meta_finalizer_count(const Value *object) {
    const Value *list = finalizers_of(object);

    return list ? list->list.count : 0;
}

static bool list_has(const Value *list, Slice text) {
    for (uint32_t i = 0; list && i < list->list.count; i++) {
        if (list->list.items[i].kind == VALUE_STRING && slice_eq(list->list.items[i].text, text))
            return true;
    }
    return false;
}

bool meta_has_finalizer(const Value *object, const char *finalizer) {
    return list_has(finalizers_of(object), slice_of(finalizer));
}

bool meta_set_finalizer(Arena *arena, Value *object, const char *finalizer, bool wanted) {
    Value *meta, *list;

    if (meta_has_finalizer(object, finalizer) == wanted)
        return false;
    meta = meta_of(arena, object);
    list = value_find_text(meta, "finalizers");
    if (!list || list->kind != VALUE_LIST)
        list = value_put(arena, meta, SLICE("finalizers"), value_list());
    if (wanted) {
        value_append(arena, list, value_string(slice_of(finalizer)));
        return true;
    }
    for (uint32_t i = list->list.count; i-- > 0;) {
        if (slice_eq_text(list->list.items[i].text, finalizer))
            value_list_remove(list, i);
    }
    if (list->list.count == 0)
        value_remove_text(meta, "finalizers");
    return true;
}

bool meta_grace(const Value *object, int64_t *ret_grace_s) {
    return value_to_int64(value_at(object, "metadata", "deletionGracePeriodSeconds", NULL), ret_grace_s);
}

// Updates.

static int by_text(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

static ErrCode check_no_new_finalizers(const Request *request, const Value *next, const Value *old) {
    const Value *before = finalizers_of(old), *after = finalizers_of(next);
    Slice text = SLICE("");
    SliceVec added = {0};

    for (uint32_t i = 0; after && kube_is_deleting(old) && i < after->list.count; i++) {
        if (!list_has(before, after->list.items[i].text))
            vec_push(request->arena, &added, after->list.items[i].text);
    }
    if (added.count == 0)
        return OK;
    qsort(added.items, added.count, sizeof *added.items, by_text);
    for (vec_each(const Slice, name, &added))
        text = arena_printf(request->arena, "%.*s%s\"%.*s\"", SLICE_ARG(text), text.len ? ", " : "", SLICE_ARG(*name));
    return fail_invalid(
        request, "metadata.finalizers",
        "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers "
        "[]string{%.*s}",
        SLICE_ARG(text));
}

static ErrCode check_immutable(const Request *request, const Value *next, const Value *old, const char *name) {
    const Value *before = value_at(old, "metadata", name, NULL), *after = value_at(next, "metadata", name, NULL);
    Slice path, value = SLICE("");

    if (!after || (before && value_eq(before, after)))
        return OK;
    path = arena_printf(request->arena, "metadata.%s", name);
    if (after->kind == VALUE_STRING || after->kind == VALUE_NUMBER)
        value = after->text;
    return fail_invalid(request, path.ptr, "Invalid value: \"%.*s\": field is immutable", SLICE_ARG(value));
}

static void carry(const Request *request, Value *next, const Value *old, const char *name) {
    const Value *value = value_at(old, "metadata", name, NULL);
    Value *meta = meta_of(request->arena, next);

    if (value)
        value_put(request->arena, meta, slice_of(name), *value);
    else
        value_remove(meta, slice_of(name));
}

ErrCode meta_carry(const Request *request, Value *next, const Value *old) {
    Value *meta = meta_of(request->arena, next);

    carry(request, next, old, "generation");
    carry(request, next, old, "creationTimestamp");
    if (!value_find_text(meta, "uid"))
        carry(request, next, old, "uid");
    if (kube_is_deleting(old))
        carry(request, next, old, "deletionTimestamp");
    if (!value_find_text(meta, "deletionGracePeriodSeconds"))
        carry(request, next, old, "deletionGracePeriodSeconds");
    value_remove_text(meta, "managedFields");
    TRY(check_immutable(request, next, old, "name"));
    TRY(check_immutable(request, next, old, "namespace"));
    TRY(check_immutable(request, next, old, "uid"));
    TRY(check_immutable(request, next, old, "deletionTimestamp"));
    TRY(check_immutable(request, next, old, "deletionGracePeriodSeconds"));
    carry(request, next, old, "name");
    carry(request, next, old, "namespace");
    return check_no_new_finalizers(request, next, old);
}
