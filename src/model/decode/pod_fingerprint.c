// Fingerprints, which find equal specs before decoding.
//
// The members that tenon reads are written one after the other, each with its kind and length, and the bytes are
// hashed.
#include <xxhash.h>

#include "model/decode/pod.h"

static void append_number(Buffer *buffer, uint64_t number) {
    buffer_append(buffer, (Slice){(const char *)&number, sizeof number});
}

static void append_text(Buffer *buffer, Slice text) {
    append_number(buffer, text.len);
    buffer_append(buffer, text);
}

static void append_value(Buffer *buffer, const Value *value) {
    buffer_append_char(buffer, (char)('0' + value->kind));
    switch (value->kind) {
    case VALUE_NULL:
        break;
    case VALUE_BOOL:
        buffer_append_char(buffer, value->boolean ? 't' : 'f');
        break;
    case VALUE_NUMBER:
    case VALUE_STRING:
        append_text(buffer, value->text);
        break;
    case VALUE_LIST:
        append_number(buffer, value->list.count);
        for (uint32_t i = 0; i < value->list.count; i++)
            append_value(buffer, &value->list.items[i]);
        break;
    case VALUE_MAP:
        append_number(buffer, value->map.count);
        for (uint32_t i = 0; i < value->map.count; i++) {
            append_text(buffer, value->map.items[i].key);
            append_value(buffer, &value->map.items[i].value);
        }
        break;
    }
}

// Appends the members of these names, in the order of the names.
static void append_members(Buffer *buffer, const Value *map, const char *const *names) {
    for (; *names; names++) {
        const Value *value = value_get(map, slice_of(*names));

        if (value && value->kind != VALUE_NULL) {
            append_text(buffer, slice_of(*names));
            append_value(buffer, value);
        }
    }
}

static void append_list(Buffer *buffer, const char *name, const Value *list, const char *const *names) {
    if (!list || list->kind != VALUE_LIST)
        return;
    append_text(buffer, slice_of(name));
    append_number(buffer, list->list.count);
    for (uint32_t i = 0; i < list->list.count; i++) {
        append_members(buffer, &list->list.items[i], names);
        buffer_append_char(buffer, ';');
    }
}

// Appends the volumes that have a claim. The others do not count: every pod has a token volume with a random name.
static void append_volumes(Buffer *buffer, const Value *volumes) {
    static const char *const names[] = {"name", "persistentVolumeClaim", "ephemeral", NULL};

    if (!volumes || volumes->kind != VALUE_LIST)
        return;
    append_text(buffer, SLICE("volumes"));
    for (uint32_t i = 0; i < volumes->list.count; i++) {
        const Value *volume = &volumes->list.items[i];

        if (value_get_text(volume, "persistentVolumeClaim") || value_get_text(volume, "ephemeral"))
            append_members(buffer, volume, names);
    }
}

static Fingerprint hash(const Buffer *buffer) {
    XXH128_hash_t digest = XXH3_128bits(buffer->bytes, buffer->len);

    return (Fingerprint){digest.low64, digest.high64};
}

Fingerprint pod_spec_fingerprint(Buffer *scratch, const PodSpecSource *source) {
    static const char *const spec_names[] = {
        "resources",
        "overhead",
        "nodeSelector",
        "affinity",
        "topologySpreadConstraints",
        "tolerations",
        "hostNetwork",
        "runtimeClassName",
        "priorityClassName",
        "resourceClaims",
        "schedulingGates",
        "schedulerName",
        NULL,
    };
    static const char *const container_names[] = {"name", "resources", "restartPolicy", "ports", NULL};
    static const char *const status_names[] = {"name", "resources", "allocatedResources", NULL};

    scratch->len = 0;
    append_members(scratch, source->spec, spec_names);
    append_list(scratch, "containers", value_get_text(source->spec, "containers"), container_names);
    append_list(scratch, "initContainers", value_get_text(source->spec, "initContainers"), container_names);
    append_volumes(scratch, value_get_text(source->spec, "volumes"));
    append_list(scratch, "statuses", source->container_statuses, status_names);
    append_list(scratch, "initStatuses", source->init_container_statuses, status_names);
    buffer_append_char(scratch, source->resize_infeasible ? 'i' : '.');
    return hash(scratch);
}

Fingerprint value_fingerprint(Buffer *scratch, const Value *value) {
    scratch->len = 0;
    append_value(scratch, value);
    return hash(scratch);
}
