// Existing nodes: of pools (with their NodeClaims, some not initialised, some without a Node yet) and without a pool.
#include "generator/cluster.h"

#include <stdio.h>

typedef struct {
    Making *making;
    Writer *writer;
    char name[16];
    const MadePool *pool; // NULL: none
    const MadeType *type;
    const MadeOffering *offering;
    bool initialized, has_node, is_deleting, is_cordoned, is_tainted;
} NodeMaking;

static void write_labels(const NodeMaking *at, bool of_node) {
    Writer *writer = at->writer;

    write_begin(writer, "labels", '{');
    write_text(writer, "topology.kubernetes.io/zone", "%s", zone_name(at->offering->zone));
    write_text(writer, "kubernetes.io/arch", "%s", at->type->arch);
    write_text(writer, "kubernetes.io/os", "linux");
    if (of_node)
        write_text(writer, "kubernetes.io/hostname", "%s", at->name);
    if (at->pool) {
        write_text(writer, "node.kubernetes.io/instance-type", "%s", at->type->name);
        write_text(writer, "karpenter.sh/capacity-type", "%s", at->offering->capacity_type);
        write_text(writer, "karpenter.kwok.sh/instance-family", "%s", at->type->family);
        write_text(writer, "karpenter.kwok.sh/instance-cpu", "%u", at->type->cpu);
        write_text(writer, "karpenter.kwok.sh/instance-size", "%u", at->type->cpu);
        write_text(writer, "karpenter.kwok.sh/instance-memory", "%uGi", at->type->memory_gib);
        write_text(writer, "karpenter.sh/nodepool", "%s", at->pool->name);
        write_text(writer, "karpenter.kwok.sh/kwoknodeclass", "default");
        write_text(writer, "example.com/pool", "%s", at->pool->name);
        if (at->pool->label_team)
            write_text(writer, "example.com/team", "%s", at->pool->label_team);
        if (at->pool->rack)
            write_text(writer, "example.com/rack", "%s", at->pool->rack);
        if (of_node)
            write_text(writer, "karpenter.sh/registered", "true");
        if (of_node && at->initialized)
            write_text(writer, "karpenter.sh/initialized", "true");
    }
    write_end(writer, '}');
}

static void write_taint(Writer *writer, const char *key, const char *value, const char *effect) {
    write_begin(writer, NULL, '{');
    write_text(writer, "key", "%s", key);
    if (value)
        write_text(writer, "value", "%s", value);
    write_text(writer, "effect", "%s", effect);
    write_end(writer, '}');
}

static void write_pool_taints(const NodeMaking *at) {
    if (at->pool && at->pool->taint_value)
        write_taint(at->writer, "dedicated", at->pool->taint_value, at->pool->taint_effect);
    if (at->pool && at->pool->prefers_others)
        write_taint(at->writer, "example.com/spare", NULL, "PreferNoSchedule");
}

static void write_room(const NodeMaking *at, const char *name, bool allocatable) {
    Writer *writer = at->writer;
    const MadeType *type = at->type;

    write_begin(writer, name, '{');
    write_text(writer, "cpu", "%um", type->cpu * 1000 - (allocatable ? 100 : 0));
    write_text(writer, "memory", "%uMi", type->memory_gib * 1024 - (allocatable ? 10 : 0));
    write_text(writer, "pods", "%u", type->pods);
    write_text(writer, "ephemeral-storage", "20Gi");
    // A new node has not registered its GPUs yet.
    if (type->gpus)
        write_text(writer, "nvidia.com/gpu", "%u", at->initialized || !at->has_node ? type->gpus : 0);
    write_end(writer, '}');
}

static void write_node(const NodeMaking *at) {
    Writer *writer = at->writer;

    write_object(writer, "v1", "Node", NULL, at->name);
    write_text(writer, "creationTimestamp", "2026-01-01T00:00:00Z");
    write_labels(at, true);
    write_end(writer, '}');
    write_begin(writer, "spec", '{');
    write_text(writer, "providerID", "kwok://%s", at->name);
    if (at->is_cordoned)
        write_bool(writer, "unschedulable", true);
    write_begin(writer, "taints", '[');
    write_pool_taints(at);
    if (at->pool && !at->initialized) {
        write_taint(writer, "node.kubernetes.io/not-ready", NULL, "NoSchedule");
        if (at->pool->has_startup_taint)
            write_taint(writer, "example.com/starting", "true", "NoSchedule");
    }
    if (at->is_tainted)
        write_taint(writer, "example.com/broken", "true", "NoSchedule");
    if (at->is_cordoned)
        write_taint(writer, "node.kubernetes.io/unschedulable", NULL, "NoSchedule");
    if (at->is_deleting)
        write_taint(writer, "karpenter.sh/disrupted", NULL, "NoSchedule");
    write_end(writer, ']');
    write_end(writer, '}');
    write_begin(writer, "status", '{');
    write_room(at, "capacity", false);
    write_room(at, "allocatable", true);
    write_begin(writer, "conditions", '[');
    write_begin(writer, NULL, '{');
    write_text(writer, "type", "Ready");
    write_text(writer, "status", at->initialized || !at->pool ? "True" : "False");
    write_end(writer, '}');
    write_end(writer, ']');
    write_end(writer, '}');
    write_end(writer, '}');
}

static void write_condition(Writer *writer, const char *type, bool is_true) {
    write_begin(writer, NULL, '{');
    write_text(writer, "type", "%s", type);
    write_text(writer, "status", is_true ? "True" : "Unknown");
    write_text(writer, "reason", "%s", type);
    write_text(writer, "message", "-");
    write_text(writer, "lastTransitionTime", "2026-01-01T00:00:00Z");
    write_end(writer, '}');
}

static void write_claim_status(const NodeMaking *at) {
    Writer *writer = at->writer;
    NodeMaking full = *at;

    full.initialized = true; // the claim knows what its node will have
    write_begin(writer, "status", '{');
    write_text(writer, "providerID", "kwok://%s", at->name);
    if (at->has_node)
        write_text(writer, "nodeName", "%s", at->name);
    write_room(&full, "capacity", false);
    write_room(&full, "allocatable", true);
    write_begin(writer, "conditions", '[');
    write_condition(writer, "Launched", true);
    write_condition(writer, "Registered", at->has_node);
    write_condition(writer, "Initialized", at->initialized);
    write_end(writer, ']');
    write_end(writer, '}');
}

static void write_claim(const NodeMaking *at) {
    Writer *writer = at->writer;
    char name[32];

    snprintf(name, sizeof name, "%s-claim", at->name);
    write_object(writer, "karpenter.sh/v1", "NodeClaim", NULL, name);
    write_text(writer, "creationTimestamp", "2026-01-01T00:00:00Z");
    if (at->is_deleting) {
        write_text(writer, "deletionTimestamp", "2026-01-01T01:00:00Z");
        write_begin(writer, "finalizers", '[');
        write_text(writer, NULL, "karpenter.sh/termination");
        write_end(writer, ']');
    }
    write_labels(at, false);
    write_end(writer, '}');
    write_begin(writer, "spec", '{');
    write_begin(writer, "nodeClassRef", '{');
    write_text(writer, "group", "karpenter.kwok.sh");
    write_text(writer, "kind", "KWOKNodeClass");
    write_text(writer, "name", "default");
    write_end(writer, '}');
    write_text(writer, "expireAfter", "Never");
    write_begin(writer, "requirements", '[');
    write_requirement(writer, "node.kubernetes.io/instance-type", "In", (const char *[]){at->type->name, NULL});
    write_end(writer, ']');
    write_begin(writer, "taints", '[');
    write_pool_taints(at);
    write_end(writer, ']');
    if (at->pool->has_startup_taint) {
        write_begin(writer, "startupTaints", '[');
        write_taint(writer, "example.com/starting", "true", "NoSchedule");
        write_end(writer, ']');
    }
    write_end(writer, '}');
    write_claim_status(at);
    write_end(writer, '}');
}

static void write_csi_node(const NodeMaking *at) {
    Writer *writer = at->writer;

    write_object(writer, "storage.k8s.io/v1", "CSINode", NULL, at->name);
    write_end(writer, '}');
    write_begin(writer, "spec", '{');
    write_begin(writer, "drivers", '[');
    write_begin(writer, NULL, '{');
    write_text(writer, "name", "ebs.csi.aws.com");
    write_text(writer, "nodeID", "%s", at->name);
    write_begin(writer, "allocatable", '{');
    write_number(writer, "count", 1 + below(at->making, 3));
    write_end(writer, '}');
    write_end(writer, '}');
    write_end(writer, ']');
    write_end(writer, '}');
    write_end(writer, '}');
}

// Makes pods until the CPUs are used up, or fewer at random.
static void make_bound_pods(NodeMaking *at) {
    Making *making = at->making;
    int64_t cpu = (int64_t)at->type->cpu * 1000 - 100, memory = (int64_t)at->type->memory_gib * 1024 - 10;
    uint32_t wanted = below(making, 6);

    for (uint32_t i = 0; i < making->daemon_count; i++) {
        if (!chance(making, 60) || (making->daemons[i] >> 3 & 3) == 2)
            continue;
        cpu -= daemon_cpu_milli(making->daemons[i]);
        memory -= 64;
        make_daemon_pod(making, i, at->name);
    }
    for (uint32_t i = 0; i < wanted; i++) {
        const MadeWorkload *workload = &making->workloads[below(making, making->workload_count)];
        PodFate fate = {.node = at->name};
        // What helpers, sidecars, init containers, overhead and pod-level requests may add.
        int64_t cpu_wanted = (int64_t)workload->cpu_milli + 1000, memory_wanted = (int64_t)workload->memory_mib + 800;

        if (cpu_wanted > cpu || memory_wanted > memory || workload->volume == VOLUME_MISSING)
            continue;
        cpu -= cpu_wanted;
        memory -= memory_wanted;
        fate.terminal = chance(making, 4);
        fate.terminating = chance(making, 5);
        fate.protected = chance(making, 8);
        make_pod(making, workload, &fate);
    }
}

static void make_node(Making *making, uint32_t index) {
    NodeMaking at = {.making = making, .writer = &making->manifests, .initialized = true, .has_node = true};

    snprintf(at.name, sizeof at.name, "node-%u", index);
    at.type = &making->types[below(making, making->type_count)];
    at.offering = &at.type->offerings[below(making, at.type->offering_count)];
    if (strcmp(at.offering->capacity_type, "reserved") == 0)
        at.offering = &at.type->offerings[0];
    if (making->profile == GENERATE_FLEET || chance(making, 80)) {
        at.pool = &making->pools[below(making, making->pool_count)];
        at.initialized = chance(making, making->profile == GENERATE_FLEET ? 95 : 75);
        at.has_node = at.initialized || chance(making, 60);
        at.is_deleting = at.has_node && at.initialized && chance(making, 12);
        write_claim(&at);
    }
    at.is_cordoned = at.has_node && chance(making, 7);
    at.is_tainted = at.has_node && chance(making, 7);
    if (!at.has_node)
        return;
    write_node(&at);
    if (chance(making, 30))
        write_csi_node(&at);
    make_bound_pods(&at);
}

void make_nodes(Making *making) {
    making->node_count = chance(making, 40) ? 0 : 1 + below(making, 6);
    if (making->profile == GENERATE_FLEET)
        making->node_count = 5 + below(making, 15);
    for (uint32_t i = 0; i < making->node_count; i++)
        make_node(making, i);
}
