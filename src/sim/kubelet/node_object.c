// Node and CSINode objects of kubelets.
#include "sim/kubelet/node_object.h"

#include "sim/kubelet/context.h"

#include <stdlib.h>

#define KUBELET_VERSION SLICE("v1.36.1")

// Whether a device plugin provides the resource: its name has a domain.
static bool is_device(const SimKubelets *kubelets, Symbol resource) {
    return slice_find(kubelets_text(kubelets, resource), '/') >= 0;
}

bool kubelet_machine_has_devices(const KubeletMachine *machine) {
    for (uint32_t i = 0; i < machine->instance.capacity.count; i++) {
        if (is_device(machine->kubelets, machine->instance.capacity.items[i].resource))
            return true;
    }
    return false;
}

// Sorted by text, whatever the symbols' numbers.

typedef struct {
    Slice key, value;
} TextPair;

static int by_key(const void *a, const void *b) {
    return slice_cmp(((const TextPair *)a)->key, ((const TextPair *)b)->key);
}

static void put_pairs(Arena *arena, Value *map, TextPair *pairs, uint32_t count) {
    if (count)
        qsort(pairs, count, sizeof *pairs, by_key);
    for (uint32_t i = 0; i < count; i++)
        value_put(arena, map, pairs[i].key, value_string(pairs[i].value));
}

static void put_labels(const KubeletMachine *machine, Arena *arena, Value *meta) {
    const SimKubelets *kubelets = machine->kubelets;
    const Labels *sources[] = {&machine->claim_labels, &machine->instance.labels};
    TextPair *pairs = arena_array(arena, TextPair, sources[0]->count + sources[1]->count + 3);
    Value *labels = put_map(arena, meta, "labels");
    uint32_t count = 0;

    for (size_t i = 0; i < 2; i++) {
        for (uint32_t j = 0; j < sources[i]->count; j++)
            pairs[count++] = (TextPair){kubelets_text(kubelets, sources[i]->items[j].key),
                                        kubelets_text(kubelets, sources[i]->items[j].value)};
    }
    pairs[count++] = (TextPair){SLICE("kubernetes.io/hostname"), kubelets_text(kubelets, machine->instance.node_name)};
    if (machine->instance.zone) {
        Slice zone = kubelets_text(kubelets, machine->instance.zone);

        pairs[count++] = (TextPair){SLICE("topology.kubernetes.io/zone"), zone};
        if (!machine->instance.is_kwok)
            pairs[count++] = (TextPair){SLICE("topology.ebs.csi.aws.com/zone"), zone};
    }
    put_pairs(arena, labels, pairs, count);
}

static void add_taint(Arena *arena, Value *taints, Slice key, Slice value, const char *effect) {
    Value *taint = add_map(arena, taints);

    put_text(arena, taint, "key", key);
    if (value.len)
        put_text(arena, taint, "value", value);
    put_text(arena, taint, "effect", slice_of(effect));
}

static void put_taints(const KubeletMachine *machine, Arena *arena, Value *spec) {
    Value *taints = put_list(arena, spec, "taints");

    for (vec_each(const Taint, taint, &machine->taints))
        add_taint(arena, taints, kubelets_text(machine->kubelets, taint->key),
                  kubelets_text(machine->kubelets, taint->value), taint_effect_text(taint->effect));
    if (machine->instance.claim_name)
        add_taint(arena, taints, SLICE("karpenter.sh/unregistered"), SLICE(""), "NoExecute");
    if (!machine->instance.is_kwok)
        add_taint(arena, taints, SLICE("node.cloudprovider.kubernetes.io/uninitialized"), SLICE("true"), "NoSchedule");
}

// Writes resources; devices are 0 until their plugin has registered.
static void put_resources(const KubeletMachine *machine, Arena *arena, Value *status, const char *key,
                          const Resources *list, bool devices) {
    TextPair *pairs = arena_array(arena, TextPair, list->count + 1);

    for (uint32_t i = 0; i < list->count; i++) {
        bool hidden = !devices && is_device(machine->kubelets, list->items[i].resource);

        pairs[i] =
            (TextPair){kubelets_text(machine->kubelets, list->items[i].resource),
                       hidden ? SLICE("0") : resource_print(arena, list->items[i].resource, list->items[i].amount)};
    }
    put_pairs(arena, put_map(arena, status, key), pairs, list->count);
}

static void add_ready(Arena *arena, Value *conditions, int64_t now_ns, bool ready) {
    add_condition(arena, conditions, "Ready", ready ? "True" : "False", ready ? "KubeletReady" : "KubeletNotReady",
                  ready ? "kubelet is posting ready status"
                        : "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
                          "message:Network plugin returns error: cni plugin not initialized",
                  now_ns);
}

static void put_conditions(const KubeletMachine *machine, Arena *arena, Value *status, int64_t now_ns, bool ready) {
    Value *conditions = put_list(arena, status, "conditions");

    add_condition(arena, conditions, "MemoryPressure", "False", "KubeletHasSufficientMemory",
                  "kubelet has sufficient memory available", now_ns);
    add_condition(arena, conditions, "DiskPressure", "False", "KubeletHasNoDiskPressure",
                  "kubelet has no disk pressure", now_ns);
    add_condition(arena, conditions, "PIDPressure", "False", "KubeletHasSufficientPID",
                  "kubelet has sufficient PID available", now_ns);
    add_ready(arena, conditions, now_ns, ready);
    if (machine->reported.type.len)
        add_condition(arena, conditions, machine->reported.type.ptr, machine->reported.status.ptr,
                      machine->reported.reason.ptr, "", machine->reported_ns);
}

static Slice label_of(const KubeletMachine *machine, const char *key, Slice otherwise) {
    Symbol symbol = symbol_find(machine->kubelets->symbols, slice_of(key));
    Symbol value = symbol == INDEX_NONE ? INDEX_NONE : labels_get(&machine->instance.labels, symbol);

    return value == INDEX_NONE ? otherwise : kubelets_text(machine->kubelets, value);
}

static void put_info(const KubeletMachine *machine, Arena *arena, Value *status) {
    Value *info = put_map(arena, status, "nodeInfo");

    put_text(arena, info, "architecture", label_of(machine, "kubernetes.io/arch", SLICE("amd64")));
    put_text(arena, info, "operatingSystem", label_of(machine, "kubernetes.io/os", SLICE("linux")));
    put_text(arena, info, "kubeletVersion", KUBELET_VERSION);
    put_text(arena, info, "containerRuntimeVersion", SLICE("containerd://2.1.4"));
    put_text(arena, info, "osImage", kubelets_text(machine->kubelets, machine->instance.image_id));
    put_text(arena, info, "bootID",
             arena_printf(arena, "%.*s/%u", SLICE_ARG(kubelets_text(machine->kubelets, machine->instance.provider_id)),
                          machine->instance.reboots));
    put_text(arena, info, "systemUUID", kubelets_text(machine->kubelets, machine->instance.provider_id));
}

Value kubelet_node_object(const KubeletMachine *machine, Arena *arena) {
    const SimKubelets *kubelets = machine->kubelets;
    Value node = value_map(), *meta = put_map(arena, &node, "metadata"), *spec, *status, *address;

    put_text(arena, meta, "name", kubelets_text(kubelets, machine->instance.node_name));
    put_labels(machine, arena, meta);
    spec = put_map(arena, &node, "spec");
    put_text(arena, spec, "providerID", kubelets_text(kubelets, machine->instance.provider_id));
    put_taints(machine, arena, spec);
    status = put_map(arena, &node, "status");
    put_resources(machine, arena, status, "capacity", &machine->instance.capacity, false);
    put_resources(machine, arena, status, "allocatable", &machine->instance.allocatable, false);
    put_conditions(machine, arena, status, kubelets_now(kubelets), false);
    address = add_map(arena, put_list(arena, status, "addresses"));
    put_text(arena, address, "type", SLICE("Hostname"));
    put_text(arena, address, "address", kubelets_text(kubelets, machine->instance.node_name));
    put_info(machine, arena, status);
    return node;
}

Value kubelet_node_ready_patch(const KubeletMachine *machine, Arena *arena, int64_t now_ns, bool ready) {
    Value patch = value_map();

    put_conditions(machine, arena, put_map(arena, &patch, "status"), now_ns, ready);
    return patch;
}

Value kubelet_node_booted_patch(const KubeletMachine *machine, Arena *arena, int64_t now_ns) {
    Value patch = value_map(), *status = put_map(arena, &patch, "status");

    put_conditions(machine, arena, status, now_ns, false);
    put_info(machine, arena, status);
    return patch;
}

Value kubelet_node_devices_patch(const KubeletMachine *machine, Arena *arena) {
    Value patch = value_map(), *status = put_map(arena, &patch, "status");

    put_resources(machine, arena, status, "capacity", &machine->instance.capacity, true);
    put_resources(machine, arena, status, "allocatable", &machine->instance.allocatable, true);
    return patch;
}

Value kubelet_csi_node_object(const KubeletMachine *machine, Arena *arena, const Node *node) {
    const SimKubelets *kubelets = machine->kubelets;
    Slice name = kubelets_text(kubelets, machine->instance.node_name);
    Value object = value_map(), *meta = put_map(arena, &object, "metadata"), *driver, *owner;

    put_text(arena, meta, "name", name);
    owner = add_map(arena, put_list(arena, meta, "ownerReferences"));
    put_text(arena, owner, "apiVersion", SLICE("v1"));
    put_text(arena, owner, "kind", SLICE("Node"));
    put_text(arena, owner, "name", name);
    put_text(arena, owner, "uid", kubelets_text(kubelets, node->meta.uid));
    driver = add_map(arena, put_list(arena, put_map(arena, &object, "spec"), "drivers"));
    put_text(arena, driver, "name",
             kubelets->config.csi_driver.len ? kubelets->config.csi_driver : SLICE("ebs.csi.aws.com"));
    put_text(arena, driver, "nodeID", name);
    put_int(arena, put_map(arena, driver, "allocatable"), "count",
            kubelets->config.csi_limit ? kubelets->config.csi_limit : 25);
    value_append(arena, put_list(arena, driver, "topologyKeys"), value_string(SLICE("topology.kubernetes.io/zone")));
    return object;
}
