// Order in which a ReplicaSet deletes surplus pods.
//
// That of the real controller (ActivePodsWithRanks): unbound, pending, unready, low
// controller.kubernetes.io/pod-deletion-cost, with siblings on the same node, ready for a shorter time, younger; times
// in powers of two, ties by uid. Restarts are left out: the simulation does not count them.
#include "sim/workloads/pod_ranks.h"

#include "sim/workloads/records.h"
#include "sim/workloads/writing.h"

#include <stdlib.h>

typedef struct {
    Handle handle;
    Slice uid;
    Symbol node;
    uint32_t phase; // 0 pending, 1 unknown, 2 running
    bool ready;
    int64_t cost, ready_ns, created_ns;
    uint32_t doubled;   // pods of the siblings on its node, including itself
    int ready_age, age; // power of two, −1: none
} RankedPod;

static int64_t deletion_cost(const SimWorkload *set, const Pod *pod) {
    Symbols *symbols = set->workloads->symbols;
    Symbol cost =
        labels_get(&pod->annotations, symbol_intern(symbols, SLICE("controller.kubernetes.io/pod-deletion-cost")));
    int64_t number;

    return cost != INDEX_NONE && slice_to_int64(symbol_text(symbols, cost), &number) ? number : 0;
}

static int power_of_two(int64_t age_ns) {
    return age_ns > 0 ? 63 - __builtin_clzll((uint64_t)age_ns) : -1;
}

static RankedPod describe(SimWorkload *set, Handle handle, const Pod *pod) {
    int64_t now = workload_now(set), ready_ns = workload_pod_note(set->workloads, handle)->ready_ns;

    return (RankedPod){.handle = handle,
                       .uid = symbol_text(set->workloads->symbols, pod->uid),
                       .node = pod->node_name,
                       .phase = pod->phase == POD_RUNNING ? 2 : pod->phase == POD_UNKNOWN,
                       .ready = pod->ready,
                       .cost = deletion_cost(set, pod),
                       .ready_ns = ready_ns,
                       .created_ns = pod->created_ns,
                       .ready_age = power_of_two(now - ready_ns),
                       .age = power_of_two(now - pod->created_ns)};
}

// Number of active pods of the set and its siblings on each node.

static void add_nodes(SimWorkload *set, Arena *arena, U32Vec *nodes) {
    for (vec_each(const Handle, handle, workload_pods(set))) {
        const Pod *pod = workload_pod(set, *handle);

        if (sim_pod_is_active(pod) && pod->node_name)
            vec_push(arena, nodes, pod->node_name);
    }
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static U32Vec nodes_of_siblings(SimWorkload *set, Arena *arena) {
    SimWorkload *owner = set->owner ? workload_find(set->workloads, set->owner) : NULL;
    U32Vec nodes = {0};

    if (!owner || owner->kind != KUBE_DEPLOYMENT)
        add_nodes(set, arena, &nodes);
    for (uint32_t i = 0; owner && owner->kind == KUBE_DEPLOYMENT && i < owner->deployment.sets.count; i++) {
        SimWorkload *sibling = workload_at(set->workloads, owner->deployment.sets.items[i]);

        if (sibling)
            add_nodes(sibling, arena, &nodes);
    }
    if (nodes.count)
        qsort(nodes.items, nodes.count, sizeof *nodes.items, by_number);
    return nodes;
}

static uint32_t lower_bound(const U32Vec *sorted, uint32_t value) {
    uint32_t low = 0, high = sorted->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (sorted->items[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t count_in(const U32Vec *sorted, Symbol node) {
    return node ? lower_bound(sorted, node + 1) - lower_bound(sorted, node) : 0;
}

// The order.

static int compare(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int goes_first(const void *a, const void *b) {
    const RankedPod *x = a, *y = b;
    int order = compare(x->node != 0, y->node != 0);

    order = order ? order : compare(x->phase, y->phase);
    order = order ? order : compare(x->ready, y->ready);
    order = order ? order : compare(x->cost, y->cost);
    order = order ? order : compare(y->doubled, x->doubled);
    if (!order && x->ready && x->ready_ns != y->ready_ns) {
        order = compare(x->ready_age, y->ready_age);
        return order ? order : slice_cmp(x->uid, y->uid);
    }
    if (!order && x->created_ns != y->created_ns)
        order = compare(x->age, y->age);
    return order ? order : slice_cmp(x->uid, y->uid);
}

void workload_rank_pods(SimWorkload *set, Arena *arena, HandleVec *pods) {
    U32Vec nodes = nodes_of_siblings(set, arena);
    Vec(RankedPod) ranked = {0};

    for (vec_each(const Handle, handle, workload_pods(set))) {
        const Pod *pod = workload_pod(set, *handle);

        if (sim_pod_is_active(pod))
            vec_push(arena, &ranked, describe(set, *handle, pod));
    }
    for (vec_each(RankedPod, pod, &ranked))
        pod->doubled = count_in(&nodes, pod->node);
    if (ranked.count)
        qsort(ranked.items, ranked.count, sizeof *ranked.items, goes_first);
    for (vec_each(const RankedPod, pod, &ranked))
        vec_push(arena, pods, pod->handle);
}
