// Bottlerocket: settings in TOML, the user's with tenon's in them.
#include "cloud/aws/userdata/bottlerocket_version.h"
#include "cloud/aws/userdata/families.h"
#include "cloud/aws/userdata/kubelet_settings.h"
#include "text/toml/toml.h"
#include "text/value_edit.h"

// --- settings.kubernetes

// The keys that Bottlerocket knows, in the order in which they are written.
static const char *const known_keys[] = {
    "api-server",
    "cloud-provider",
    "cluster-certificate",
    "cluster-name",
    "cluster-dns-ip",
    "credential-providers",
    "node-labels",
    "node-taints",
    "max-pods",
    "static-pods",
    "eviction-hard",
    "eviction-soft",
    "eviction-soft-grace-period",
    "eviction-max-pod-grace-period",
    "kube-reserved",
    "system-reserved",
    "allowed-unsafe-sysctls",
    "server-tls-bootstrap",
    "registry-qps",
    "registry-burst",
    "event-qps",
    "event-burst",
    "kube-api-qps",
    "kube-api-burst",
    "container-log-max-size",
    "container-log-max-files",
    "container-log-max-workers",
    "container-log-monitor-interval",
    "cpu-manager-policy",
    "cpu-manager-policy-options",
    "cpu-manager-reconcile-period",
    "memory-manager-policy",
    "memory-manager-reserved-memory",
    "topology-manager-scope",
    "topology-manager-policy",
    "topology-manager-policy-options",
    "image-gc-high-threshold-percent",
    "image-gc-low-threshold-percent",
    "ids-per-pod",
    "cpu-cfs-quota-enforced",
    "shutdown-grace-period",
    "shutdown-grace-period-for-critical-pods",
    "cluster-domain",
    "seccomp-default",
    "pod-pids-limit",
    "device-ownership-from-security-context",
    "single-process-oom-kill",
    "hostname-override-source",
    "log-level",
};

static bool is_known(Slice key) {
    for (size_t i = 0; i < sizeof known_keys / sizeof *known_keys; i++) {
        if (slice_eq_text(key, known_keys[i]))
            return true;
    }
    return false;
}

#define PUT(map, key, value) value_put(arena, (map), SLICE(key), (value))

static void put_labels(Arena *arena, Value *kubernetes, const TextEntryVec *labels) {
    Value *map = value_make(arena, kubernetes, "node-labels", NULL);

    for (vec_each(const TextEntry, label, labels))
        value_put(arena, map, label->key, value_string(label->value));
    value_sort_members(map);
}

static void put_taints(Arena *arena, Value *kubernetes, const NodeTaintVec *taints) {
    Value *map = PUT(kubernetes, "node-taints", value_map());

    for (vec_each(const NodeTaint, taint, taints)) {
        Value *list = value_find(map, taint->key);

        if (!list)
            list = value_put(arena, map, taint->key, value_list());
        value_append(arena, list,
                     value_string(arena_printf(arena, "%.*s:%.*s", SLICE_ARG(taint->value), SLICE_ARG(taint->effect))));
    }
    value_sort_members(map);
}

// Copies a map of the kubelet's settings over the user's.
static void put_map(Arena *arena, Value *kubernetes, const Value *settings, const char *field, const char *key) {
    const Value *map = kubelet_map(settings, field);
    bool periods = strcmp(field, "evictionSoftGracePeriod") == 0;
    Value copy = value_map();

    if (!map)
        return;
    for (vec_each(const ValueMember, member, &map->map)) {
        Slice text = periods ? kubelet_grace_period(arena, member->value.text) : member->value.text;

        value_put(arena, &copy, member->key, value_string(text));
    }
    value_put(arena, kubernetes, slice_of(key), copy);
}

static void put_kubelet(Arena *arena, Value *kubernetes, const Value *settings) {
    static const struct {
        const char *field, *key;
    } maps[] = {{"systemReserved", "system-reserved"},
                {"kubeReserved", "kube-reserved"},
                {"evictionHard", "eviction-hard"},
                {"evictionSoft", "eviction-soft"},
                {"evictionSoftGracePeriod", "eviction-soft-grace-period"}};
    const Value *high = value_get_text(settings, "imageGCHighThresholdPercent");
    const Value *low = value_get_text(settings, "imageGCLowThresholdPercent");
    const Value *grace = value_get_text(settings, "evictionMaxPodGracePeriod");
    const Value *quota = value_get_text(settings, "cpuCFSQuota");
    Slice dns_ip = kubelet_dns_ip(settings);

    PUT(kubernetes, "max-pods", *value_get_text(settings, "maxPods"));
    if (dns_ip.len)
        PUT(kubernetes, "cluster-dns-ip", value_string(dns_ip));
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        put_map(arena, kubernetes, settings, maps[i].field, maps[i].key);
    if (grace && grace->kind == VALUE_NUMBER)
        PUT(kubernetes, "eviction-max-pod-grace-period", *grace);
    if (high && high->kind == VALUE_NUMBER)
        PUT(kubernetes, "image-gc-high-threshold-percent", value_string(high->text));
    if (low && low->kind == VALUE_NUMBER)
        PUT(kubernetes, "image-gc-low-threshold-percent", value_string(low->text));
    if (quota && quota->kind == VALUE_BOOL)
        PUT(kubernetes, "cpu-cfs-quota-enforced", *quota);
}

// The members that Bottlerocket knows, in their order.
static Value keep_known(Arena *arena, const Value *kubernetes, SliceVec *ret_dropped) {
    Value kept = value_map();

    for (size_t i = 0; i < sizeof known_keys / sizeof *known_keys; i++) {
        const Value *member = value_get(kubernetes, slice_of(known_keys[i]));

        if (member)
            value_put(arena, &kept, slice_of(known_keys[i]), *member);
    }
    for (vec_each(const ValueMember, member, &kubernetes->map)) {
        if (!is_known(member->key))
            vec_push(arena, ret_dropped, member->key);
    }
    return kept;
}

// --- local disks

static void add_command(Arena *arena, Value *commands, const char *const *words) {
    Value *list = value_append(arena, commands, value_list());

    for (; *words; words++)
        value_append(arena, list, value_string(slice_of(*words)));
}

static void put_storage(Arena *arena, Value *settings, bool directories) {
    static const char *const init[] = {"apiclient", "ephemeral-storage", "init", NULL};
    static const char *const bind[] = {"apiclient", "ephemeral-storage", "bind", NULL};
    static const char *const bind_directories[] = {
        "apiclient",           "ephemeral-storage", "bind",          "--dirs",
        "/var/lib/containerd", "/var/lib/kubelet",  "/var/log/pods", NULL};
    Value *all = value_make(arena, settings, "bootstrap-commands", NULL);
    Value *own = PUT(all, "000-mount-instance-storage", value_map());
    Value *commands = PUT(own, "commands", value_list());

    add_command(arena, commands, init);
    add_command(arena, commands, directories ? bind_directories : bind);
    PUT(own, "essential", value_bool(true));
    PUT(own, "mode", value_string(SLICE("always")));
    value_sort_members(all);
}

// --- the whole

// The user's settings, and an empty map where there are none, or no settings.kubernetes.
static ErrCode read_custom(Arena *arena, Slice custom, Value *ret_settings, Err *err) {
    Value document = value_map();
    const Value *settings, *kubernetes;

    if (custom.len && toml_parse(arena, custom, &document, err) != OK) {
        err_prefix(err, "spec.userData");
        return ERR_INVALID;
    }
    settings = value_get_text(&document, "settings");
    kubernetes = value_get_text(settings, "kubernetes");
    if ((settings && settings->kind != VALUE_MAP) || (kubernetes && kubernetes->kind != VALUE_MAP))
        return err_set(err, ERR_INVALID, "spec.userData: settings and settings.kubernetes must be tables");
    *ret_settings = settings ? *settings : value_map();
    return OK;
}

ErrCode user_data_bottlerocket(Arena *arena, const UserDataOptions *options, UserData *ret_data, Err *err) {
    Value kubelet = kubelet_settings(arena, options), root = value_map(), settings;
    SliceVec dropped = {0};
    Buffer out = {0};
    Value *kubernetes;

    TRY(read_custom(arena, options->custom, &settings, err));
    kubernetes = value_make(arena, &settings, "kubernetes", NULL);
    PUT(kubernetes, "cluster-name", value_string(options->cluster_name));
    PUT(kubernetes, "api-server", value_string(options->cluster_endpoint));
    if (options->ca_bundle.len)
        PUT(kubernetes, "cluster-certificate", value_string(options->ca_bundle));
    put_labels(arena, kubernetes, &options->labels);
    put_taints(arena, kubernetes, &options->taints);
    put_kubelet(arena, kubernetes, &kubelet);
    *kubernetes = keep_known(arena, kubernetes, &dropped);
    if (options->raid0)
        put_storage(arena, &settings, bottlerocket_needs_directories(options->image_version));
    value_sort_members(&settings);
    PUT(&root, "settings", settings);
    toml_print(&out, &root);
    *ret_data = (UserData){.text = arena_slice(arena, buffer_slice(&out)), .dropped = dropped};
    buffer_free(&out);
    return OK;
}
