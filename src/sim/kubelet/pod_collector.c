// The pod garbage collector: pods of Nodes that do not exist fail and are deleted, after the real one's quarantine.
#include "sim/kubelet/pod_collector.h"

#include "base/alloc.h"
#include "sim/kubelet/context.h"
#include "sim/kubelet/pod_status.h"

enum { COLLECTOR_PERIOD_S = 20 };

static void collect(SimKubelets *kubelets, const Pod *pod) {
    kubelets->counts.pods_collected++;
    kubelet_pod_write_collected(kubelets, pod);
    kubelet_pod_remove(kubelets, pod);
}

static void ring_ghost(void *context) {
    Ghost *ghost = context;
    SimKubelets *kubelets = ghost->kubelets;
    ArenaMark mark = arena_mark(&kubelets->scratch);

    ghost->alarm = 0;
    if (state_find(kubelets->state, KUBE_NODE, NAME_EMPTY, ghost->name).generation == 0) {
        for (vec_each(const Handle, handle, state_pods_on_node(kubelets->state, ghost->name)))
            collect(kubelets, state_pod(kubelets->state, *handle));
    }
    arena_rewind(&kubelets->scratch, mark);
}

void kubelet_ghost_tend(SimKubelets *kubelets, Symbol node_name) {
    uint32_t index = u64_map_get(&kubelets->ghost_index, node_name);
    Ghost *ghost = index == INDEX_NONE ? NULL : kubelets->ghosts.items[index];

    if (!ghost) {
        ghost = NEW(Ghost);
        ghost->kubelets = kubelets;
        ghost->name = node_name;
        u64_map_put(&kubelets->arena, &kubelets->ghost_index, node_name, kubelets->ghosts.count);
        vec_push(&kubelets->arena, &kubelets->ghosts, ghost);
    }
    if (!ghost->alarm)
        kubelets_alarm(kubelets, &ghost->alarm,
                       kubelets_now(kubelets) + (NODE_GONE_QUARANTINE_S + COLLECTOR_PERIOD_S) * NS_PER_S, ring_ghost,
                       ghost);
}

void kubelet_ghost_free(Ghost *ghost) {
    kubelets_cancel(ghost->kubelets, &ghost->alarm);
    free(ghost);
}
