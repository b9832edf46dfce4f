// Metrics of pods: waiting for a node, and until ready.
#include "obs/observer/parts.h"

#include <stdio.h>

static bool is_waiting(const Pod *pod) {
    return pod && pod->phase == POD_PENDING && !pod->ready && !pod->of_daemon && !pod->deleting;
}

static void count_bound(MetricsObserver *metrics_observer, const Pod *pod, Moment at) {
    PodTimes times;

    registry_observe(metrics_observer->registry, METRIC_PODS_BOUND, seconds_between(pod->created_ns, at.wall_ns),
                     at.now, WITHOUT_LABELS);
    if (pod_memory_get(metrics_observer->pods, pod->uid, &times) && mono_is_set(times.placed))
        registry_observe(metrics_observer->registry, METRIC_PODS_PROVISIONING_BOUND,
                         ns_to_s(mono_since(at.now, times.placed)), at.now, WITHOUT_LABELS);
}

// Counts the first time only: a pod that becomes ready again has not started up.
static void count_ready(MetricsObserver *metrics_observer, const Pod *pod, Moment at) {
    PodTimes times;

    if (!pod_memory_get(metrics_observer->pods, pod->uid, &times))
        return;
    registry_observe(metrics_observer->registry, METRIC_PODS_STARTUP, seconds_between(pod->created_ns, at.wall_ns),
                     at.now, WITHOUT_LABELS);
    if (mono_is_set(times.placed))
        registry_observe(metrics_observer->registry, METRIC_PODS_PROVISIONING_STARTUP,
                         ns_to_s(mono_since(at.now, times.placed)), at.now, WITHOUT_LABELS);
}

void look_at_pod(MetricsObserver *metrics_observer, const Sight *sight) {
    const Pod *before = sight->change->before, *after = sight->change->after;

    if (before && (!after || after->uid != before->uid)) {
        pod_memory_forget(metrics_observer->pods, before->uid);
        before = NULL;
    }
    if (!after)
        return;
    if (is_waiting(after))
        pod_memory_see(metrics_observer->pods, after->uid, sight->at.now);
    if (before && before->node_name == NAME_EMPTY && after->node_name != NAME_EMPTY)
        count_bound(metrics_observer, after, sight->at);
    if (after->ready)
        count_ready(metrics_observer, after, sight->at);
    if (after->ready || after->deleting || pod_is_terminal(after))
        pod_memory_forget(metrics_observer->pods, after->uid);
}

// --- plans

static void count_decision(MetricsObserver *metrics_observer, const PendingPod *pending, bool placed, Moment at) {
    PodTimes before;

    if (!pod_memory_decide(metrics_observer->pods, pending->pod->uid, placed, at.now, &before) ||
        mono_is_set(before.decided))
        return;
    registry_observe(metrics_observer->registry, METRIC_PODS_DECISION, ns_to_s(mono_since(at.now, before.seen)), at.now,
                     WITHOUT_LABELS);
}

void look_at_solve(MetricsObserver *metrics_observer, const Answer *answer) {
    const Solved *solved = answer->completion->solved;
    Slice controller = slice_of(answer->controller);
    Registry *registry = metrics_observer->registry;
    uint32_t ignored = 0, unplaced = 0, aside = 0;

    registry_observe(registry, METRIC_SCHEDULING_DURATION, ns_to_s(answer->completion->took_ns), answer->at.now,
                     WITH(controller));
    registry_forget(registry, METRIC_SCHEDULER_QUEUE_DEPTH, SLICE("controller"), controller);
    if (!solved)
        return;
    for (uint32_t i = 0; i < solved->input->pending.count; i++) {
        const PendingPod *pending = &solved->input->pending.items[i];
        bool fails = unplaced < solved->plan->unplaced.count && solved->plan->unplaced.items[unplaced].pod == i;

        if (fails && solved->plan->unplaced.items[unplaced].aside)
            aside++;
        else
            ignored += pending->ignored.len != 0;
        unplaced += fails;
        if (!pending->ignored.len)
            count_decision(metrics_observer, pending, !fails, answer->at);
    }
    registry_set(registry, METRIC_SCHEDULER_IGNORED, ignored, WITHOUT_LABELS);
    registry_set(registry, METRIC_SCHEDULER_UNSCHEDULABLE, unplaced - ignored, WITH(controller));
    registry_set(registry, METRIC_SCHEDULER_ASIDE, aside, WITH(controller));
    registry_add(registry, METRIC_SCHEDULER_CUT_SHORT, solved->plan->cut_short, WITH(controller));
}

// --- evictions

// Why the pod's node is terminated, from the conditions of its NodeClaim.
static Slice reason_of(const MetricsObserver *metrics_observer, const State *state, const Pod *pod) {
    const NodeClaim *claim =
        state_node_claim(state, state_claim_of_node(state, state_find(state, KUBE_NODE, NAME_EMPTY, pod->node_name)));
    const Condition *condition =
        claim ? condition_get(&claim->conditions, &metrics_observer->symbols, SLICE("DisruptionReason")) : NULL;

    if (!condition || !slice_eq_text(metrics_observer_text(metrics_observer, condition->status), "True"))
        return SLICE("");
    return metrics_observer_text(metrics_observer, condition->reason);
}

static const Pod *pod_of(const MetricsObserver *metrics_observer, const Answer *answer) {
    const KubeRef *ref = &answer->intent->ref;
    Symbol ns = symbol_find(&metrics_observer->symbols, ref->ns),
           name = symbol_find(&metrics_observer->symbols, ref->name);

    if (ns == INDEX_NONE || name == INDEX_NONE)
        return NULL;
    return state_pod(answer->state, state_find(answer->state, KUBE_POD, ns, name));
}

void look_at_eviction(MetricsObserver *metrics_observer, const Answer *answer) {
    const KubeError *error = answer->completion->kube_error;
    int code = answer->completion->code == OK ? 200 : error ? kube_reason_http_code(error->reason) : 0;
    const Pod *pod = pod_of(metrics_observer, answer);
    char text[16];
    int len = snprintf(text, sizeof text, "%d", code);

    registry_add(metrics_observer->registry, METRIC_PODS_EVICTIONS, 1, WITH(((Slice){text, (size_t)len})));
    if (code == 200)
        registry_add(metrics_observer->registry, METRIC_PODS_DRAINED, 1,
                     WITH(pod ? reason_of(metrics_observer, answer->state, pod) : SLICE("")));
}
