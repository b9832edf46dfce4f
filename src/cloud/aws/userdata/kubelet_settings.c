// Settings of kubelets, and their flags.
#include "cloud/aws/userdata/kubelet_settings.h"

#include "base/buffer.h"
#include "cloud/aws/userdata/node_identity.h"
#include "text/duration.h"
#include "text/quantity.h"
#include "text/value_edit.h"

// --- settings

// Removes what is no quantity from a map of reservations, and the map when nothing is left.
static void drop_expressions(Value *settings, const char *name) {
    Value *map = value_find(settings, slice_of(name));
    uint32_t kept = 0;

    if (!map || map->kind != VALUE_MAP)
        return;
    for (uint32_t i = 0; i < map->map.count; i++) {
        const Value *amount = &map->map.items[i].value;
        int64_t ignored;

        if (amount->kind == VALUE_STRING && quantity_parse(amount->text, QUANTITY_MILLI, &ignored, NULL) != ERR_INVALID)
            map->map.items[kept++] = map->map.items[i];
    }
    map->map.count = kept;
    if (!kept)
        value_remove(settings, slice_of(name));
}

Value kubelet_settings(Arena *arena, const UserDataOptions *options) {
    bool given = options->kubelet && options->kubelet->kind == VALUE_MAP;
    Value settings = given ? value_copy_tree(arena, options->kubelet) : value_map();
    const Value *max_pods = value_get_text(&settings, "maxPods");

    if (!max_pods || max_pods->kind != VALUE_NUMBER)
        value_put(arena, &settings, SLICE("maxPods"), value_int(arena, options->max_pods));
    if (!kubelet_dns_ip(&settings).len && options->dns_ip.len) {
        Value *list = value_put(arena, &settings, SLICE("clusterDNS"), value_list());

        value_append(arena, list, value_string(options->dns_ip));
    }
    drop_expressions(&settings, "kubeReserved");
    drop_expressions(&settings, "systemReserved");
    value_sort(&settings);
    return settings;
}

Slice kubelet_dns_ip(const Value *settings) {
    const Value *list = value_get_text(settings, "clusterDNS");

    return list && list->kind == VALUE_LIST && list->list.count && list->list.items[0].kind == VALUE_STRING
               ? list->list.items[0].text
               : SLICE("");
}

const Value *kubelet_map(const Value *settings, const char *name) {
    const Value *map = value_get(settings, slice_of(name));

    return map && map->kind == VALUE_MAP && map->map.count ? map : NULL;
}

Slice kubelet_grace_period(Arena *arena, Slice text) {
    int64_t ns;

    return duration_parse(text, &ns, NULL) == OK ? duration_print(arena, ns) : text;
}

// --- flags

static Slice finish(Arena *arena, Buffer *text) {
    Slice copy = arena_slice(arena, buffer_slice(text));

    buffer_free(text);
    return copy;
}

// Puts a text into quotation marks.
static void append_quoted(Buffer *out, Slice text) {
    buffer_append_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"' || text.ptr[i] == '\\')
            buffer_append_char(out, '\\');
        buffer_append_char(out, text.ptr[i]);
    }
    buffer_append_char(out, '"');
}

Slice kubelet_label_flag(Arena *arena, const TextEntryVec *labels) {
    Buffer list = {0}, flag = {0};

    if (!labels->count)
        return SLICE("");
    for (vec_each(const TextEntry, label, labels))
        buffer_printf(&list, "%s%.*s=%.*s", list.len ? "," : "", SLICE_ARG(label->key), SLICE_ARG(label->value));
    buffer_append(&flag, SLICE("--node-labels="));
    append_quoted(&flag, buffer_slice(&list));
    buffer_free(&list);
    return finish(arena, &flag);
}

// Begins a flag behind those that are there.
static void begin(Buffer *flags, const char *name) {
    buffer_printf(flags, "%s--%s=", flags->len ? " " : "", name);
}

static void add_taints(Arena *arena, Buffer *flags, const NodeTaintVec *taints) {
    Buffer list = {0};

    if (!taints->count)
        return;
    for (vec_each(const NodeTaint, taint, taints))
        buffer_printf(&list, "%s%.*s", list.len ? "," : "", SLICE_ARG(node_taint_print(arena, taint)));
    begin(flags, "register-with-taints");
    append_quoted(flags, buffer_slice(&list));
    buffer_free(&list);
}

static void add_map(Arena *arena, Buffer *flags, const Value *settings, const char *flag, const char *field,
                    const char *between) {
    const Value *map = kubelet_map(settings, field);
    bool periods = strcmp(field, "evictionSoftGracePeriod") == 0;

    if (!map)
        return;
    begin(flags, flag);
    buffer_append_char(flags, '"');
    for (vec_each(const ValueMember, member, &map->map)) {
        Slice value = periods ? kubelet_grace_period(arena, member->value.text) : member->value.text;

        buffer_printf(flags, "%s%.*s%s%.*s", member == map->map.items ? "" : ",", SLICE_ARG(member->key), between,
                      SLICE_ARG(value));
    }
    buffer_append_char(flags, '"');
}

static void add_number(Buffer *flags, const Value *settings, const char *flag, const char *field) {
    const Value *value = value_get(settings, slice_of(field));

    if (!value || value->kind != VALUE_NUMBER)
        return;
    begin(flags, flag);
    buffer_append(flags, value->text);
}

Slice kubelet_flags(Arena *arena, const UserDataOptions *options, const Value *settings) {
    const Value *quota = value_get_text(settings, "cpuCFSQuota");
    Buffer flags = {0};

    buffer_append(&flags, kubelet_label_flag(arena, &options->labels));
    add_taints(arena, &flags, &options->taints);
    add_number(&flags, settings, "max-pods", "maxPods");
    add_number(&flags, settings, "pods-per-core", "podsPerCore");
    add_map(arena, &flags, settings, "system-reserved", "systemReserved", "=");
    add_map(arena, &flags, settings, "kube-reserved", "kubeReserved", "=");
    add_map(arena, &flags, settings, "eviction-hard", "evictionHard", "<");
    add_map(arena, &flags, settings, "eviction-soft", "evictionSoft", "<");
    add_map(arena, &flags, settings, "eviction-soft-grace-period", "evictionSoftGracePeriod", "=");
    add_number(&flags, settings, "eviction-max-pod-grace-period", "evictionMaxPodGracePeriod");
    add_number(&flags, settings, "image-gc-high-threshold", "imageGCHighThresholdPercent");
    add_number(&flags, settings, "image-gc-low-threshold", "imageGCLowThresholdPercent");
    if (quota && quota->kind == VALUE_BOOL) {
        begin(&flags, "cpu-cfs-quota");
        buffer_append(&flags, quota->boolean ? SLICE("true") : SLICE("false"));
    }
    return finish(arena, &flags);
}
