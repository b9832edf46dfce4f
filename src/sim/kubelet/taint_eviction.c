// The taint eviction controller: evicts pods that do not tolerate their node's NoExecute taints, or tolerate them for
// some time only.
//
// tolerationSeconds is not in the mirror: it is read from the pod when a node gets a taint, which is rare. An evicted
// pod first gets the condition DisruptionTarget.
#include "sim/kubelet/taint_eviction.h"

#include "sim/kubelet/context.h"
#include "sim/kubelet/pod_status.h"

void kubelet_eviction_cancel(KubeletPod *record) {
    kubelets_cancel(record->kubelets, &record->eviction);
    record->tainted_ns = 0;
}

static void evict(SimKubelets *kubelets, const Pod *pod) {
    KubeDeletion deletion = {.uid = kubelets_text(kubelets, pod->uid)};

    kubelets->counts.pods_evicted++;
    kubelet_pod_write_target(kubelets, pod, "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint");
    kube_remove(kubelets->kube, kubelet_pod_ref(kubelets, pod), &deletion, NULL);
}

static void ring_eviction(void *context) {
    KubeletPod *record = context;
    SimKubelets *kubelets = record->kubelets;
    const Pod *pod = state_pod(kubelets->state, record->handle);
    ArenaMark mark = arena_mark(&kubelets->scratch);

    record->eviction = 0;
    record->tainted_ns = 0;
    if (pod && !pod->deleting)
        evict(kubelets, pod);
    arena_rewind(&kubelets->scratch, mark);
}

static bool bears(const SimKubelets *kubelets, const Value *toleration, const Taint *taint) {
    Slice key = kube_text(toleration, "key", NULL), effect = kube_text(toleration, "effect", NULL);

    if (effect.len && !slice_eq_text(effect, "NoExecute"))
        return false;
    if (key.len && !slice_eq(key, kubelets_text(kubelets, taint->key)))
        return false;
    return slice_eq_text(kube_text(toleration, "operator", NULL), "Exists") ||
           slice_eq(kube_text(toleration, "value", NULL), kubelets_text(kubelets, taint->value));
}

// How long the pod tolerates all these taints, in seconds; INT64_MAX: forever.
static int64_t patience(SimKubelets *kubelets, const Pod *pod, const TaintVec *taints) {
    int64_t least = INT64_MAX;
    Value object;

    if (kube_get(kubelets->kube, &kubelets->scratch, kubelet_pod_ref(kubelets, pod), &object, NULL) != OK)
        return INT64_MAX;
    for (vec_each(const Taint, taint, taints)) {
        if (taint->effect != EFFECT_NO_EXECUTE)
            continue;
        for (vec_each(const Value, toleration, read_list(value_get_text(&object, "spec"), "tolerations"))) {
            int64_t seconds = read_int(toleration, "tolerationSeconds", INT64_MAX);

            if (!bears(kubelets, toleration, taint))
                continue;
            if (seconds < least)
                least = seconds < 0 ? 0 : seconds;
            break; // the first matching toleration decides
        }
    }
    return least;
}

static bool has_no_execute(const TaintVec *taints) {
    for (vec_each(const Taint, taint, taints)) {
        if (taint->effect == EFFECT_NO_EXECUTE)
            return true;
    }
    return false;
}

static bool bears_all(const SimKubelets *kubelets, const Pod *pod, const TaintVec *taints) {
    for (vec_each(const Taint, taint, taints)) {
        if (taint->effect == EFFECT_NO_EXECUTE &&
            !taint_is_tolerated(kubelets->symbols, taint, &pod->spec->tolerations))
            return false;
    }
    return true;
}

void kubelet_eviction_tend(SimKubelets *kubelets, KubeletPod *record, const Pod *pod, const Node *node) {
    int64_t seconds;

    if (pod->deleting || pod_is_terminal(pod) || !has_no_execute(&node->taints)) {
        kubelet_eviction_cancel(record);
        return;
    }
    if (!bears_all(kubelets, pod, &node->taints)) {
        kubelet_eviction_cancel(record);
        evict(kubelets, pod);
        return;
    }
    seconds = patience(kubelets, pod, &node->taints);
    if (seconds == INT64_MAX) {
        kubelet_eviction_cancel(record);
        return;
    }
    if (!record->tainted_ns)
        record->tainted_ns = kubelets_now(kubelets);
    kubelets_alarm(kubelets, &record->eviction, record->tainted_ns + seconds * NS_PER_S, ring_eviction, record);
}
