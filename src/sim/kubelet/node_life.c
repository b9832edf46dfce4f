// The node lifecycle controller: taints for conditions and cordons, and Nodes whose kubelet is silent.
//
// Ready False gives not-ready, Ready Unknown gives unreachable, each with NoSchedule and NoExecute; spec.unschedulable
// gives unschedulable. Left out: slower eviction when most of a zone is gone.
#include "sim/kubelet/node_life.h"

#include "sim/kubelet/context.h"

#define NODE_CONTROLLER SLICE("kube-controller-manager")

NodeReadiness kubelet_node_readiness(const SimKubelets *kubelets, const Node *node) {
    const Condition *ready = condition_get(&node->conditions, kubelets->symbols, SLICE("Ready"));
    Slice status = ready ? kubelets_text(kubelets, ready->status) : SLICE("False");

    if (slice_eq_text(status, "True"))
        return NODE_READY;
    return slice_eq_text(status, "Unknown") ? NODE_UNKNOWN : NODE_NOT_READY;
}

// The taints that this controller owns.
typedef struct {
    const char *key, *effect;
    bool wanted;
} OwnTaint;

enum { OWN_TAINTS = 5 };

static void wanted_taints(NodeReadiness readiness, bool unschedulable, OwnTaint *ret_taints) {
    bool down = readiness == NODE_NOT_READY, silent = readiness == NODE_UNKNOWN;
    OwnTaint taints[OWN_TAINTS] = {
        {"node.kubernetes.io/not-ready", "NoSchedule", down},
        {"node.kubernetes.io/not-ready", "NoExecute", down},
        {"node.kubernetes.io/unreachable", "NoSchedule", silent},
        {"node.kubernetes.io/unreachable", "NoExecute", silent},
        {"node.kubernetes.io/unschedulable", "NoSchedule", unschedulable},
    };

    memcpy(ret_taints, taints, sizeof taints);
}

static bool has_taint(const SimKubelets *kubelets, const Node *node, const OwnTaint *own) {
    for (vec_each(const Taint, taint, &node->taints)) {
        if (slice_eq_text(kubelets_text(kubelets, taint->key), own->key) &&
            slice_eq_text(slice_of(taint_effect_text(taint->effect)), own->effect))
            return true;
    }
    return false;
}

// Whether the taints are right as far as the mirror shows: it cannot tell a cordon from its taint, so a Node with
// either is checked in full.
static bool looks_right(const SimKubelets *kubelets, const Node *node) {
    OwnTaint taints[OWN_TAINTS];

    wanted_taints(kubelet_node_readiness(kubelets, node), false, taints);
    for (size_t i = 0; i < OWN_TAINTS; i++) {
        if (has_taint(kubelets, node, &taints[i]) != taints[i].wanted)
            return false;
    }
    return true;
}

static OwnTaint *find_own(OwnTaint *taints, const Value *taint) {
    for (size_t i = 0; i < OWN_TAINTS; i++) {
        if (slice_eq_text(kube_text(taint, "key", NULL), taints[i].key) &&
            slice_eq_text(kube_text(taint, "effect", NULL), taints[i].effect))
            return &taints[i];
    }
    return NULL;
}

// Corrects a list of taints; returns whether it changed.
static bool correct_taints(SimKubelets *kubelets, const Value *node, NodeReadiness readiness, Value *taints) {
    Arena *arena = &kubelets->scratch;
    OwnTaint own[OWN_TAINTS];
    bool differs = false;

    wanted_taints(readiness, read_bool(value_get_text(node, "spec"), "unschedulable"), own);
    for (vec_each(const Value, taint, read_list(value_get_text(node, "spec"), "taints"))) {
        OwnTaint *mine = find_own(own, taint);

        if (mine && !mine->wanted) {
            differs = true;
            continue;
        }
        if (mine)
            mine->wanted = false; // it is present
        value_append(arena, taints, *taint);
    }
    for (size_t i = 0; i < OWN_TAINTS; i++) {
        Value *taint;

        if (!own[i].wanted)
            continue;
        differs = true;
        taint = add_map(arena, taints);
        put_text(arena, taint, "key", slice_of(own[i].key));
        put_text(arena, taint, "effect", slice_of(own[i].effect));
        put_time(arena, taint, "timeAdded", kubelets_now(kubelets));
    }
    return differs;
}

void kubelet_node_tend(SimKubelets *kubelets, Handle handle) {
    const Node *node = state_node(kubelets->state, handle);
    Arena *arena = &kubelets->scratch;
    Value object, patch = value_map(), *taints;
    KubeRef ref;

    if (!node || looks_right(kubelets, node))
        return;
    ref = (KubeRef){KUBE_NODE, SLICE(""), kubelets_text(kubelets, node->meta.name)};
    if (kube_get(kubelets->kube, arena, ref, &object, NULL) != OK)
        return;
    taints = put_list(arena, put_map(arena, &patch, "spec"), "taints");
    if (correct_taints(kubelets, &object, kubelet_node_readiness(kubelets, node), taints))
        kubelets_patch(kubelets, NODE_CONTROLLER, ref, KUBE_OBJECT, &patch);
}

void kubelet_node_mark_unknown(SimKubelets *kubelets, Handle handle) {
    static const char *const types[] = {"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"};
    const Node *node = state_node(kubelets->state, handle);
    Arena *arena = &kubelets->scratch;
    ArenaMark mark = arena_mark(arena);
    Value patch = value_map(), *conditions;

    if (!node)
        return;
    conditions = put_list(arena, put_map(arena, &patch, "status"), "conditions");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        add_condition(arena, conditions, types[i], "Unknown", "NodeStatusUnknown",
                      "Kubelet stopped posting node status.", kubelets_now(kubelets));
    kubelets_patch(kubelets, NODE_CONTROLLER, (KubeRef){KUBE_NODE, SLICE(""), kubelets_text(kubelets, node->meta.name)},
                   KUBE_STATUS, &patch);
    arena_rewind(arena, mark);
}
