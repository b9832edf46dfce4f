// Selections: paths and what is wanted at them.
#include "sim/scenario/select.h"

#include "base/glob.h"

#include <strings.h>

// --- paths

// Removes the next step from a path: a member, or the text in brackets. False: malformed.
static bool path_step(Slice *path, Slice *ret_step, bool *ret_bracket) {
    size_t end = 0;

    if (path->ptr[0] == '.')
        *path = slice_from(*path, 1);
    *ret_bracket = path->len && path->ptr[0] == '[';
    if (*ret_bracket) {
        ptrdiff_t close = slice_find(*path, ']');

        if (close <= 1)
            return false;
        *ret_step = slice_from(slice_first(*path, (size_t)close), 1);
        *path = slice_from(*path, (size_t)close + 1);
        return true;
    }
    while (end < path->len && path->ptr[end] != '.' && path->ptr[end] != '[')
        end++;
    *ret_step = slice_first(*path, end);
    *path = slice_from(*path, end);
    return end > 0;
}

static bool path_is_valid(Slice path) {
    Slice step;
    bool bracket;

    if (!path.len)
        return false;
    while (path.len) {
        if (!path_step(&path, &step, &bracket))
            return false;
    }
    return true;
}

// The element of that name, by the members that Kubernetes identifies list elements by.
static const Value *list_element(const Value *list, Slice name) {
    static const char *const keys[] = {"type", "name", "key", "uid", "driver"};
    int64_t number;

    for (uint32_t i = 0; i < list->list.count; i++) {
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            const Value *value = value_get(&list->list.items[i], slice_of(keys[k]));

            if (value && value->kind == VALUE_STRING && slice_eq(value->text, name))
                return &list->list.items[i];
        }
    }
    if (slice_to_int64(name, &number) && number >= 0 && number < list->list.count)
        return &list->list.items[number];
    return NULL;
}

const Value *value_at_path(const Value *object, Slice path) {
    const Value *at = object;
    Slice step;
    bool bracket;

    while (at && path.len) {
        if (!path_step(&path, &step, &bracket))
            return NULL;
        at = bracket && at->kind == VALUE_LIST ? list_element(at, step) : value_get(at, step);
    }
    return at && at->kind != VALUE_NULL ? at : NULL;
}

// --- conditions

static bool scalar_text(const Value *value, Slice *ret_text) {
    switch (value->kind) {
    case VALUE_BOOL:
        *ret_text = value->boolean ? SLICE("true") : SLICE("false");
        return true;
    case VALUE_NUMBER:
    case VALUE_STRING:
        *ret_text = value->text;
        return true;
    case VALUE_NULL:
        *ret_text = SLICE("");
        return true;
    default:
        return false;
    }
}

static bool stands_there(const Value *value, Slice want) {
    Slice text;

    if (want.len == 0)
        return !value;
    if (slice_eq_text(want, "*"))
        return value != NULL;
    return value && scalar_text(value, &text) && glob_matches(want, text);
}

bool selection_matches(const Selection *selection, const Value *object) {
    const Value *meta = value_get_text(object, "metadata");
    const Value *ns = value_get_text(meta, "namespace"), *name = value_get_text(meta, "name");

    if (selection->ns.len && !(ns && slice_eq(ns->text, selection->ns)))
        return false;
    if (selection->name.len && !(name && glob_matches(selection->name, name->text)))
        return false;
    if (!selector_matches_map(&selection->labels, value_get_text(meta, "labels")))
        return false;
    for (vec_each(const WhereTerm, term, &selection->where)) {
        if (stands_there(value_at_path(object, term->path), term->want) == term->negated)
            return false;
    }
    return true;
}

// --- reading

ErrCode decode_where(Decoder *decoder, const Value *value, void *ret_terms, Err *err) {
    WhereTermVec *terms = ret_terms;

    TRY(decode_expect(decoder, value, VALUE_MAP, err));
    for (uint32_t i = 0; i < value->map.count; i++) {
        const ValueMember *member = &value->map.items[i];
        WhereTerm term = {.path = arena_slice(decoder->arena, member->key)};
        Slice want;

        if (!path_is_valid(member->key))
            return decode_fail(decoder, &member->value, err,
                               "expected a path such as status.conditions[Ready].status, got \"%.*s\"",
                               SLICE_ARG(member->key));
        if (!scalar_text(&member->value, &want))
            return decode_fail(decoder, &member->value, err, "expected a scalar at %.*s, got %s",
                               SLICE_ARG(member->key), value_kind_text(member->value.kind));
        term.negated = slice_starts_with(want, SLICE("!"));
        term.want = arena_slice(decoder->arena, term.negated ? slice_from(want, 1) : want);
        vec_push(decoder->arena, terms, term);
    }
    return OK;
}

static bool same_letters(Slice a, Slice b) {
    return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

ErrCode decode_kind(Decoder *decoder, const Value *value, void *ret_kind, Err *err) {
    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (same_letters(value->text, kube_kind(kind)->kind) || same_letters(value->text, kube_kind(kind)->plural)) {
            *(KubeKind *)ret_kind = kind;
            return OK;
        }
    }
    return decode_fail(decoder, value, err,
                       "expected a kind that the embedded cluster knows (Pod, NodeClaim), got \"%.*s\"",
                       SLICE_ARG(value->text));
}

ErrCode decode_label_selector(Decoder *decoder, const Value *value, void *ret_selector, Err *err) {
    Err reason;

    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    if (selector_parse_labels(decoder->arena, arena_slice(decoder->arena, value->text), ret_selector, &reason) != OK)
        return decode_fail(decoder, value, err, "%s", reason.text);
    return OK;
}
