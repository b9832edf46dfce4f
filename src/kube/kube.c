// Reasons, errors, lists in pages, and metadata, for callers and implementations of the table.
#include "kube/kube.h"

#include <stdarg.h>
#include <stdio.h>

enum { PAGE = 500 };

static const struct {
    const char *name;
    int http_code;
    ErrCode code;
} reasons[KUBE_REASON_COUNT] = {
#define X(name, text, http_code, code) {text, http_code, code},
    KUBE_REASONS(X)
#undef X
};

const char *kube_reason_text(KubeReason reason) {
    CHECK((unsigned)reason < KUBE_REASON_COUNT);
    return reasons[reason].name;
}

int kube_reason_http_code(KubeReason reason) {
    CHECK((unsigned)reason < KUBE_REASON_COUNT);
    return reasons[reason].http_code;
}

KubeReason kube_reason_find(Slice name, int http_code) {
    KubeReason by_code = KUBE_REASON_UNKNOWN;

    for (unsigned i = KUBE_REASON_COUNT; i-- > 1;) {
        if (name.len && slice_eq_text(name, reasons[i].name))
            return (KubeReason)i;
        if (http_code == reasons[i].http_code)
            by_code = (KubeReason)i;
    }
    return by_code;
}

bool kube_is_doubtful(const KubeError *error) {
    return error->reason == KUBE_REASON_NONE || kube_reason_http_code(error->reason) >= 500;
}

ErrCode kube_fail(KubeError *error, KubeReason reason, const char *format, ...) {
    char text[ERR_TEXT_MAX];
    va_list args;

    CHECK(reason != KUBE_REASON_NONE && (unsigned)reason < KUBE_REASON_COUNT);
    if (!error)
        return reasons[reason].code;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error->reason = reason;
    error->retry_after_ns = 0;
    error->cause[0] = 0;
    return err_set(&error->err, reasons[reason].code, "%s", text);
}

ErrCode kube_list_each(Kube kube, const KubeListRequest *wanted,
                       void (*take)(void *context, Arena *page, const Value *object), void *context, KubeError *error) {
    KubeListRequest request = *wanted;
    Arena tokens = {0};
    ErrCode code;

    request.limit = PAGE;
    do {
        KubeList list = {0};
        Arena page = {0};

        code = kube_list(kube, &page, &request, &list, error);
        for (uint32_t i = 0; code == OK && i < list.items.count; i++)
            take(context, &page, &list.items.items[i]);
        if (code == OK && list.next.len && slice_eq(list.next, request.from))
            code = kube_fail(error, KUBE_REASON_INTERNAL_ERROR, "the next page of %.*s is the same again",
                             SLICE_ARG(kube_kind(request.kind)->resource));
        request.from = arena_slice(&tokens, list.next);
        arena_free(&page);
    } while (code == OK && request.from.len);
    arena_free(&tokens);
    return code;
}

Slice kube_text(const Value *object, ...) {
    va_list keys;

    va_start(keys, object);
    for (const char *key; object && (key = va_arg(keys, const char *));)
        object = value_get(object, slice_of(key));
    va_end(keys);
    return object && object->kind == VALUE_STRING ? object->text : SLICE("");
}

Slice kube_name(const Value *object) {
    return kube_text(object, "metadata", "name", NULL);
}

Slice kube_namespace(const Value *object) {
    return kube_text(object, "metadata", "namespace", NULL);
}

Slice kube_uid(const Value *object) {
    return kube_text(object, "metadata", "uid", NULL);
}

KubeRevision kube_revision(const Value *object) {
    Slice text = kube_text(object, "metadata", "resourceVersion", NULL);
    int64_t revision;

    return slice_to_int64(text, &revision) && revision > 0 ? (KubeRevision)revision : 0;
}

int64_t kube_generation(const Value *object) {
    int64_t generation;

    return value_to_int64(value_at(object, "metadata", "generation", NULL), &generation) ? generation : 0;
}

bool kube_is_deleting(const Value *object) {
    return kube_text(object, "metadata", "deletionTimestamp", NULL).len > 0;
}
