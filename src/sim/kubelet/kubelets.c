// The kubelet component: changes are noted, and handled in the next reaction.
#include "base/alloc.h"
#include "sim/kubelet/attach.h"
#include "sim/kubelet/machines.h"
#include "sim/kubelet/node_life.h"
#include "sim/kubelet/pod_collector.h"
#include "sim/kubelet/pod_life.h"
#include "sim/kubelet/records.h"

// Observing.

static bool pod_matters(const Pod *before, const Pod *after) {
    return !before || before->uid != after->uid || before->node_name != after->node_name ||
           before->deleted_ns != after->deleted_ns || before->deleting != after->deleting ||
           before->phase != after->phase || (before->ready && !after->ready);
}

static void observe_pod(SimKubelets *kubelets, const StateChange *change) {
    const Pod *after = change->after;

    if (!after)
        kubelet_pod_forget(kubelet_pod_record(kubelets, change->handle));
    else if (after->node_name && pod_matters(change->before, after))
        kubelet_pod_due(kubelets, change->handle);
}

// Whether two lists have the same NoExecute taints, in order.
static bool no_execute_eq(const TaintVec *a, const TaintVec *b) {
    uint32_t i = 0, j = 0;

    for (;; i++, j++) {
        while (i < a->count && a->items[i].effect != EFFECT_NO_EXECUTE)
            i++;
        while (j < b->count && b->items[j].effect != EFFECT_NO_EXECUTE)
            j++;
        if (i == a->count || j == b->count)
            return i == a->count && j == b->count;
        if (a->items[i].key != b->items[j].key || a->items[i].value != b->items[j].value)
            return false;
    }
}

static void note_readiness(SimKubelets *kubelets, const StateChange *change) {
    bool ready = kubelet_node_readiness(kubelets, change->after) == NODE_READY;

    if (ready)
        kubelet_node_note(kubelets, change->handle)->lost = false;
    else if (change->before && kubelet_node_readiness(kubelets, change->before) == NODE_READY)
        kubelet_node_note(kubelets, change->handle)->lost = true;
}

static void observe_node(SimKubelets *kubelets, const StateChange *change) {
    const Node *before = change->before, *after = change->after;

    kubelet_machine_observe_node(kubelets, change);
    if (!after) {
        if (state_pods_on_node(kubelets->state, change->name)->count)
            kubelet_ghost_tend(kubelets, change->name);
        return;
    }
    kubelet_node_due(kubelets, change->handle);
    note_readiness(kubelets, change);
    if (!before || !no_execute_eq(&before->taints, &after->taints) ||
        kubelet_node_readiness(kubelets, before) != kubelet_node_readiness(kubelets, after))
        kubelet_node_pods_due(kubelets, change->handle);
}

static void kubelets_observe(void *self, const StateChange *change) {
    SimKubelets *kubelets = self;

    if (change->kind == KUBE_POD)
        observe_pod(kubelets, change);
    else if (change->kind == KUBE_NODE)
        observe_node(kubelets, change);
    else if (change->kind == KUBE_PERSISTENT_VOLUME_CLAIM || change->kind == KUBE_PERSISTENT_VOLUME)
        kubelet_volumes_changed(kubelets);
}

// Reacting.

static void take_pods_of_node(SimKubelets *kubelets, Handle handle) {
    const Node *node = state_node(kubelets->state, handle);

    kubelet_node_note(kubelets, handle)->pods_due = false;
    if (!node)
        return;
    for (vec_each(const Handle, pod, state_pods_on_node(kubelets->state, node->meta.name)))
        kubelet_pod_due(kubelets, *pod);
}

static bool react_to_nodes(SimKubelets *kubelets) {
    HandleVec due = kubelets->due_nodes;

    kubelets->due_nodes = kubelets->working_nodes;
    kubelets->due_nodes.count = 0;
    kubelets->working_nodes = due;
    for (uint32_t i = 0; i < due.count; i++) {
        ArenaMark mark = arena_mark(&kubelets->scratch);
        KubeletNode *note = &kubelets->nodes[due.items[i].index];

        if (note->generation != due.items[i].generation)
            continue;
        note->due = false;
        if (note->pods_due)
            take_pods_of_node(kubelets, due.items[i]);
        kubelet_node_tend(kubelets, due.items[i]);
        arena_rewind(&kubelets->scratch, mark);
    }
    return due.count > 0;
}

static bool react_to_pods(SimKubelets *kubelets) {
    HandleVec due = kubelets->due_pods;

    kubelets->due_pods = kubelets->working_pods;
    kubelets->due_pods.count = 0;
    kubelets->working_pods = due;
    for (uint32_t i = 0; i < due.count; i++) {
        ArenaMark mark = arena_mark(&kubelets->scratch);

        if (!state_pod(kubelets->state, due.items[i]))
            continue;
        kubelet_pod_record(kubelets, due.items[i])->due = false;
        kubelet_pod_tend(kubelets, due.items[i]);
        arena_rewind(&kubelets->scratch, mark);
    }
    return due.count > 0;
}

static void react_to_volumes(SimKubelets *kubelets) {
    HandleVec waiting = kubelets->waiting_pods;

    if (!kubelets->volumes_changed)
        return;
    kubelets->volumes_changed = false;
    kubelets->waiting_pods.count = 0;
    for (uint32_t i = 0; i < waiting.count; i++) {
        if (state_pod(kubelets->state, waiting.items[i]))
            kubelet_pod_due(kubelets, waiting.items[i]);
    }
}

static bool kubelets_react(void *self) {
    SimKubelets *kubelets = self;
    bool any;

    react_to_volumes(kubelets);
    any = react_to_nodes(kubelets);
    return react_to_pods(kubelets) || any;
}

// Making and ending.

static void listen(void *context, const SimInstanceChange *change) {
    SimKubelets *kubelets = context;

    sim_kubelets_change(kubelets, sim_cloud_instance(kubelets->cloud, change->number));
}

static void free_kubelets(void *self) {
    SimKubelets *kubelets = self;

    for (uint32_t i = 0; i < kubelets->machines.count; i++)
        kubelet_machine_free(kubelets->machines.items[i]);
    for (uint32_t i = 0; i < kubelets->attachments.count; i++)
        kubelet_attachment_free(kubelets->attachments.items[i]);
    for (uint32_t i = 0; i < kubelets->ghosts.count; i++)
        kubelet_ghost_free(kubelets->ghosts.items[i]);
    for (uint32_t i = 0; i < kubelets->chunk_count; i++) {
        for (uint32_t j = 0; j < POD_CHUNK; j++)
            free(kubelets->pod_chunks[i][j].attachments);
        free(kubelets->pod_chunks[i]);
    }
    free(kubelets->pod_chunks);
    free(kubelets->nodes);
    arena_free(&kubelets->scratch);
    arena_free(&kubelets->arena);
    free(kubelets);
}

SimKubelets *sim_kubelets_add(World *world, SimCloud *cloud, const SimKubeletConfig *config) {
    static const ComponentTable table = {
        .name = "kubelets", .observe = kubelets_observe, .react = kubelets_react, .free = free_kubelets};
    SimKubelets *kubelets = NEW(SimKubelets);

    kubelets->world = world;
    kubelets->cloud = cloud;
    kubelets->state = world_state(world);
    kubelets->symbols = world_symbols(world);
    kubelets->kube = world_kube(world);
    if (config)
        kubelets->config = *config;
    kubelets->node_random = world_random(world, "kubelets: nodes");
    kubelets->pod_random = world_random(world, "kubelets: pods");
    kubelets->volume_random = world_random(world, "kubelets: volumes");
    world_add(world, &table, kubelets);
    if (cloud)
        sim_cloud_on_change(cloud, listen, kubelets);
    return kubelets;
}

SimKubeletCounts sim_kubelets_counts(const SimKubelets *kubelets) {
    return kubelets->counts;
}
