#include "obs/collect/parts.h"

typedef void (*Collect)(const Collector *collector, MetricId id, Exposition *out);

#define OF_KIND(KIND)                                                                                                  \
    [METRIC_##KIND##_CONDITION_COUNT] = collect_subjects, [METRIC_##KIND##_CONDITION_SECONDS] = collect_subjects,      \
    [METRIC_##KIND##_TERMINATION_NOW] = collect_subjects

static const Collect collects[METRIC_COUNT] = {
    [METRIC_NODES_ALLOCATABLE] = collect_nodes,
    [METRIC_NODES_POD_REQUESTS] = collect_nodes,
    [METRIC_NODES_DAEMON_REQUESTS] = collect_nodes,
    [METRIC_NODES_OVERHEAD] = collect_nodes,
    [METRIC_NODES_AGE] = collect_nodes,
    [METRIC_CLUSTER_UTILIZATION] = collect_cluster,
    [METRIC_STATE_NODES] = collect_cluster,
    [METRIC_NODEPOOLS_LIMIT] = collect_pools,
    [METRIC_NODEPOOLS_USAGE] = collect_pools,
    [METRIC_PODS_STATE] = collect_pods,
    [METRIC_PODS_UNSTARTED] = collect_pods,
    [METRIC_PODS_UNBOUND] = collect_pods,
    [METRIC_PODS_PROVISIONING_UNBOUND] = collect_pods,
    [METRIC_PODS_PROVISIONING_UNSTARTED] = collect_pods,
    [METRIC_PODS_UNDECIDED] = collect_pods,
    OF_KIND(NODECLAIM),
    OF_KIND(NODEPOOL),
    OF_KIND(NODE),
    OF_KIND(EC2NODECLASS),
    OF_KIND(KWOKNODECLASS),
    [METRIC_OLD_CONDITION_COUNT] = collect_subjects,
    [METRIC_OLD_CONDITION_SECONDS] = collect_subjects,
    [METRIC_OLD_TERMINATION_NOW] = collect_subjects,
};

bool collector_has(MetricId id) {
    return collects[id] != NULL;
}

void collector_print(const Collector *collector, MetricId id, Buffer *page) {
    Exposition out;

    CHECK(collects[id], "metric %d is not read from a snapshot", (int)id);
    exposition_begin(&out, page, id);
    collects[id](collector, id, &out);
}

void collector_init(Collector *collector, Arena *arena, const Cluster *cluster, PodMemory *pods, Moment at) {
    uint32_t count = cluster->nodes.count;

    *collector = (Collector){.arena = arena,
                             .cluster = cluster,
                             .pods = pods,
                             .usage = arena_array(arena, Resources, count),
                             .daemon = arena_array(arena, Resources, count),
                             .at = at};
    for (uint32_t i = 0; i < count; i++)
        u64_map_put(arena, &collector->nodes, cluster->nodes.items[i].meta.name, i);
    for (vec_each(const Pod, pod, &cluster->pods)) {
        uint32_t node =
            pod->node_name == NAME_EMPTY ? (uint32_t)INDEX_NONE : u64_map_get(&collector->nodes, pod->node_name);

        if (node == INDEX_NONE || pod_is_terminal(pod))
            continue;
        resources_add(arena, &collector->usage[node], &pod->spec->requests);
        if (pod->of_daemon)
            resources_add(arena, &collector->daemon[node], &pod->spec->requests);
    }
}

Slice collected_resource(const Collector *collector, Symbol resource) {
    Slice text = collected_text(collector, resource);
    char *copy;

    if (!memchr(text.ptr, '-', text.len))
        return text;
    copy = arena_copy(collector->arena, text.ptr, text.len);
    for (size_t i = 0; i < text.len; i++)
        copy[i] = copy[i] == '-' ? '_' : copy[i];
    return (Slice){copy, text.len};
}

double collected_amount(Symbol resource, int64_t amount) {
    return resource_scale(resource) == QUANTITY_MILLI ? (double)amount / 1000 : (double)amount;
}
