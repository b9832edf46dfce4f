// AL2023: a NodeConfig for nodeadm, behind the user's own. Members are sorted by name.
#include "cloud/aws/userdata/envelope.h"
#include "cloud/aws/userdata/families.h"
#include "cloud/aws/userdata/kubelet_settings.h"
#include "text/value_edit.h"
#include "text/yaml.h"

#define PUT(map, key, value) value_put(arena, (map), SLICE(key), (value))

static void put_cluster(Arena *arena, Value *spec, const UserDataOptions *options) {
    Value *cluster = PUT(spec, "cluster", value_map());

    PUT(cluster, "apiServerEndpoint", value_string(options->cluster_endpoint));
    if (options->ca_bundle.len)
        PUT(cluster, "certificateAuthority", value_string(options->ca_bundle));
    PUT(cluster, "cidr", value_string(options->service_cidr));
    PUT(cluster, "name", value_string(options->cluster_name));
}

static void put_taints(Arena *arena, Value *config, const NodeTaintVec *taints) {
    Value list = value_list();

    for (vec_each(const NodeTaint, taint, taints)) {
        Value *map = value_append(arena, &list, value_map());

        PUT(map, "effect", value_string(taint->effect));
        PUT(map, "key", value_string(taint->key));
        if (taint->value.len)
            PUT(map, "value", value_string(taint->value));
    }
    if (list.list.count)
        PUT(config, "registerWithTaints", list);
}

static void put_kubelet(Arena *arena, Value *spec, const UserDataOptions *options) {
    Value *kubelet = PUT(spec, "kubelet", value_map()), *flags;
    Slice labels = kubelet_label_flag(arena, &options->labels);
    Value settings = kubelet_settings(arena, options), sorted = value_map();
    bool placed = false;

    for (vec_each(const ValueMember, member, &settings.map)) {
        if (!placed && slice_cmp(member->key, SLICE("registerWithTaints")) > 0) {
            put_taints(arena, &sorted, &options->taints);
            placed = true;
        }
        value_put(arena, &sorted, member->key, member->value);
    }
    if (!placed)
        put_taints(arena, &sorted, &options->taints);
    PUT(kubelet, "config", sorted);
    if (labels.len) {
        flags = PUT(kubelet, "flags", value_list());
        value_append(arena, flags, value_string(labels));
    }
}

static Value node_config(Arena *arena, const UserDataOptions *options) {
    Value root = value_map(), *spec, *storage;

    PUT(&root, "apiVersion", value_string(SLICE("node.eks.aws/v1alpha1")));
    PUT(&root, "kind", value_string(SLICE("NodeConfig")));
    PUT(&root, "metadata", value_map());
    spec = PUT(&root, "spec", value_map());
    put_cluster(arena, spec, options);
    PUT(spec, "containerd", value_map());
    storage = PUT(PUT(spec, "instance", value_map()), "localStorage", value_map());
    if (options->raid0)
        PUT(storage, "strategy", value_string(SLICE("RAID0")));
    put_kubelet(arena, spec, options);
    return root;
}

ErrCode user_data_al2023(Arena *arena, const UserDataOptions *options, UserData *ret_data, Err *err) {
    MimePartVec parts = {0};
    Buffer text = {0};
    Value config;

    if (!options->service_cidr.len)
        return err_set(err, ERR_INVALID, "the cluster's service CIDR is not known yet, and AL2023 needs it");
    TRY(envelope_add_custom(arena, options->custom, true, &parts, err));
    config = node_config(arena, options);
    buffer_append(&text, SLICE("# Karpenter Generated NodeConfig\n"));
    yaml_print(&text, &config);
    envelope_add(arena, &parts, SLICE(NODE_CONFIG_TYPE), arena_slice(arena, buffer_slice(&text)));
    buffer_free(&text);
    *ret_data = (UserData){.text = envelope_write(arena, &parts)};
    return OK;
}
