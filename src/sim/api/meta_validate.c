// Validation of metadata, for all kinds.
//
// Texts: k8s.io/apimachinery v0.36, pkg/api/validation and pkg/util/validation. Only the first problem is reported,
// where the API server lists all.
#include "sim/api/meta_validate.h"

#include "model/well_known.h"
#include "sim/api/request.h"

enum { ANNOTATIONS_BYTES_MAX = 256 << 10, OWNERS_MAX = 200, LABEL_MAX = 63, SUBDOMAIN_MAX = 253 };

static bool is_map_of_texts(const Value *value) {
    for (uint32_t i = 0; value && value->kind == VALUE_MAP && i < value->map.count; i++) {
        if (value->map.items[i].value.kind != VALUE_STRING)
            return false;
    }
    return !value || value->kind == VALUE_MAP || value->kind == VALUE_NULL;
}

static bool is_list_of(const Value *value, ValueKind kind) {
    for (uint32_t i = 0; value && value->kind == VALUE_LIST && i < value->list.count; i++) {
        if (value->list.items[i].kind != kind)
            return false;
    }
    return !value || value->kind == VALUE_LIST || value->kind == VALUE_NULL;
}

static ErrCode fail_type(const Request *request, const char *path, const char *expected) {
    return kube_fail(request->error, KUBE_REASON_BAD_REQUEST,
                     "%.*s in version \"%.*s\" cannot be handled: %s: expected %s", SLICE_ARG(request->info->kind),
                     SLICE_ARG(request->info->api_version), path, expected);
}

static ErrCode check_meta_types(const Request *request, const Value *meta) {
    static const char *const texts[] = {"name", "generateName",    "namespace",
                                        "uid",  "resourceVersion", "deletionTimestamp"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const Value *text = value_get(meta, slice_of(texts[i]));

        if (text && text->kind != VALUE_STRING && text->kind != VALUE_NULL)
            return fail_type(request, arena_printf(request->arena, "metadata.%s", texts[i]).ptr, "string");
    }
    if (!is_map_of_texts(value_get_text(meta, "labels")))
        return fail_type(request, "metadata.labels", "map of strings");
    if (!is_map_of_texts(value_get_text(meta, "annotations")))
        return fail_type(request, "metadata.annotations", "map of strings");
    if (!is_list_of(value_get_text(meta, "finalizers"), VALUE_STRING))
        return fail_type(request, "metadata.finalizers", "list of strings");
    if (!is_list_of(value_get_text(meta, "ownerReferences"), VALUE_MAP))
        return fail_type(request, "metadata.ownerReferences", "list of maps");
    return OK;
}

ErrCode meta_check_types(const Request *request, const Value *object) {
    static const char *const maps[] = {"metadata", "spec", "status"};

    if (object->kind != VALUE_MAP)
        return fail_type(request, "object", "map");
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        const Value *map = value_get(object, slice_of(maps[i]));

        if (map && map->kind != VALUE_MAP && map->kind != VALUE_NULL)
            return fail_type(request, maps[i], "map");
    }
    return check_meta_types(request, value_get_text(object, "metadata"));
}

// Names.

static bool is_lower_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_label(Slice text, size_t max) {
    for (size_t i = 0; i < text.len; i++) {
        if (!is_lower_or_digit(text.ptr[i]) && (text.ptr[i] != '-' || i == 0 || i + 1 == text.len))
            return false;
    }
    return text.len > 0 && text.len <= max;
}

static bool is_subdomain(Slice text) {
    if (text.len > SUBDOMAIN_MAX)
        return false;
    for (;;) {
        ptrdiff_t dot = slice_find(text, '.');

        if (!is_label(dot < 0 ? text : slice_first(text, (size_t)dot), SUBDOMAIN_MAX))
            return false;
        if (dot < 0)
            return true;
        text = slice_from(text, (size_t)dot + 1);
    }
}

static ErrCode check_name(const Request *request, Slice name, NameRule rule) {
    if (name.len == 0)
        return fail_invalid(request, "", "metadata.name: Required value: name or generateName is required");
    switch (rule) {
    case NAME_SUBDOMAIN:
        if (is_subdomain(name))
            return OK;
        return fail_invalid(request, "metadata.name",
                            "Invalid value: \"%.*s\": a lowercase RFC 1123 subdomain must consist of lower case "
                            "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric "
                            "character (e.g. 'example.com', regex used for validation is "
                            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
                            SLICE_ARG(name));
    case NAME_LABEL:
        if (is_label(name, LABEL_MAX))
            return OK;
        if (slice_find(name, '.') >= 0)
            return fail_invalid(request, "metadata.name", "Invalid value: \"%.*s\": must not contain dots",
                                SLICE_ARG(name));
        return fail_invalid(request, "metadata.name",
                            "Invalid value: \"%.*s\": a lowercase RFC 1123 label must consist of lower case "
                            "alphanumeric characters or '-', and must start and end with an alphanumeric character "
                            "(e.g. 'my-name',  or '123-abc', regex used for validation is "
                            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
                            SLICE_ARG(name));
    }
    return OK;
}

// Labels and annotations.

static ErrCode check_labels(const Request *request, const Value *labels) {
    for (uint32_t i = 0; labels && labels->kind == VALUE_MAP && i < labels->map.count; i++) {
        Slice key = labels->map.items[i].key, value = labels->map.items[i].value.text;
        Slice complaint = label_key_complaint(key);

        if (complaint.len)
            return fail_invalid(request, "metadata.labels", "Invalid value: \"%.*s\": %.*s", SLICE_ARG(key),
                                SLICE_ARG(complaint));
        complaint = label_value_complaint(value);
        if (complaint.len)
            return fail_invalid(request, "metadata.labels", "Invalid value: \"%.*s\": %.*s", SLICE_ARG(value),
                                SLICE_ARG(complaint));
    }
    return OK;
}

// Lower-case copy: keys may have capitals.
static Slice lower(Arena *arena, Slice text) {
    char *folded = arena_alloc_raw(arena, text.len);

    for (size_t i = 0; i < text.len; i++)
        folded[i] = text.ptr[i] >= 'A' && text.ptr[i] <= 'Z' ? (char)(text.ptr[i] + 32) : text.ptr[i];
    return (Slice){folded, text.len};
}

static ErrCode check_annotations(const Request *request, const Value *annotations) {
    size_t bytes = 0;

    for (uint32_t i = 0; annotations && annotations->kind == VALUE_MAP && i < annotations->map.count; i++) {
        Slice key = annotations->map.items[i].key;
        Slice complaint = label_key_complaint(lower(request->arena, key));

        if (complaint.len)
            return fail_invalid(request, "metadata.annotations", "Invalid value: \"%.*s\": %.*s", SLICE_ARG(key),
                                SLICE_ARG(complaint));
        bytes += key.len + annotations->map.items[i].value.text.len;
    }
    if (bytes > ANNOTATIONS_BYTES_MAX)
        return fail_invalid(request, "metadata.annotations", "Too long: may not be more than %d bytes",
                            ANNOTATIONS_BYTES_MAX);
    return OK;
}

// Finalizers and owners.

static ErrCode check_finalizers(const Request *request, const Value *finalizers) {
    for (uint32_t i = 0; finalizers && finalizers->kind == VALUE_LIST && i < finalizers->list.count; i++) {
        Slice finalizer = finalizers->list.items[i].text, complaint = label_key_complaint(finalizer);

        if (complaint.len)
            return fail_invalid(request, "metadata.finalizers", "Invalid value: \"%.*s\": %.*s", SLICE_ARG(finalizer),
                                SLICE_ARG(complaint));
    }
    return OK;
}

static ErrCode check_owners(const Request *request, const Value *owners) {
    static const char *const members[] = {"apiVersion", "kind", "name", "uid"};
    const Value *controller = NULL;

    for (uint32_t i = 0; owners && owners->kind == VALUE_LIST && i < owners->list.count; i++) {
        const Value *owner = &owners->list.items[i], *is_controller = value_get_text(owner, "controller");

        for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
            if (kube_text(owner, members[m], NULL).len == 0)
                return fail_invalid(request, "metadata.ownerReferences", "Invalid value: %s: must not be empty",
                                    members[m]);
        }
        if (!is_controller || is_controller->kind != VALUE_BOOL || !is_controller->boolean)
            continue;
        if (controller)
            return fail_invalid(request, "metadata.ownerReferences",
                                "Invalid value: Only one reference can have Controller set to true. Found \"true\" in "
                                "references for %.*s/%.*s and %.*s/%.*s",
                                SLICE_ARG(kube_text(controller, "kind", NULL)),
                                SLICE_ARG(kube_text(controller, "name", NULL)),
                                SLICE_ARG(kube_text(owner, "kind", NULL)), SLICE_ARG(kube_text(owner, "name", NULL)));
        controller = owner;
    }
    if (owners && owners->kind == VALUE_LIST && owners->list.count > OWNERS_MAX)
        return fail_invalid(request, "metadata.ownerReferences", "Too many: must have at most %d items", OWNERS_MAX);
    return OK;
}

ErrCode meta_validate(const Request *request, const Value *object, NameRule rule) {
    const Value *meta = value_get_text(object, "metadata");

    TRY(check_name(request, kube_text(meta, "name", NULL), rule));
    TRY(check_labels(request, value_get_text(meta, "labels")));
    TRY(check_annotations(request, value_get_text(meta, "annotations")));
    TRY(check_finalizers(request, value_get_text(meta, "finalizers")));
    return check_owners(request, value_get_text(meta, "ownerReferences"));
}
