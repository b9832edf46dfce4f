// Predicates over pods. Behaviour: reference lifecycle.md 0.5.
#include "sched/pod_rules.h"

#include "sched/disruption_budget.h"
#include "text/duration.h"

bool pod_is_active(const Pod *pod) {
    return !pod_is_terminal(pod) && !pod->deleting;
}

bool pod_is_daemon(const Pod *pod, const Symbols *symbols) {
    return pod_is_owned_by(pod, symbols, SLICE("apps/v1"), SLICE("DaemonSet"));
}

bool pod_is_mirror(const Pod *pod, const Symbols *symbols) {
    return pod_is_owned_by(pod, symbols, SLICE("v1"), SLICE("Node"));
}

bool pod_is_pending(const Pod *pod, const Symbols *symbols) {
    if (pod->node_name != NAME_EMPTY || pod->nominated_node_name != NAME_EMPTY || pod->gated || pod_is_terminal(pod))
        return false;
    return !pod_is_daemon(pod, symbols) && !pod_is_mirror(pod, symbols);
}

Symbol pod_node(const Pod *pod) {
    if (pod_is_terminal(pod))
        return NAME_EMPTY;
    return pod->node_name == NAME_EMPTY ? pod->nominated_node_name : pod->node_name;
}

bool pod_is_reschedulable(const Pod *pod, const Symbols *symbols) {
    bool returns = pod->deleting && pod_is_owned_by(pod, symbols, SLICE("apps/v1"), SLICE("StatefulSet"));

    if (pod_is_terminal(pod) || (!pod_is_active(pod) && !returns))
        return false;
    return !pod_is_daemon(pod, symbols) && !pod_is_mirror(pod, symbols);
}

bool pod_is_do_not_disrupt(const Pod *pod, const Symbols *symbols, int64_t now_ns) {
    Symbol value = labels_get(&pod->annotations, NAME_DO_NOT_DISRUPT);
    int64_t duration_ns;

    if (value == INDEX_NONE)
        return false;
    if (value == NAME_TRUE)
        return true;
    if (duration_parse(symbol_text(symbols, value), &duration_ns, NULL) != OK || duration_ns <= 0)
        return false;
    return pod->started_ns == 0 || now_ns - pod->started_ns < duration_ns;
}

bool pod_is_evictable(const Pod *pod, const Symbols *symbols, int64_t now_ns) {
    static const Taint disrupted = {.key = NAME_DISRUPTED, .value = NAME_EMPTY, .effect = EFFECT_NO_SCHEDULE};

    if (!pod_is_active(pod) || pod_is_mirror(pod, symbols))
        return false;
    return !taint_is_tolerated(symbols, &disrupted, &pod->spec->tolerations) &&
           !pod_is_do_not_disrupt(pod, symbols, now_ns);
}

bool pod_is_currently_reschedulable(const Pod *pod, const Cluster *cluster, int64_t now_ns) {
    const Symbols *symbols = &cluster->symbols;

    if (!pod_is_reschedulable(pod, symbols))
        return false;
    if (pod_is_active(pod) && pod_is_do_not_disrupt(pod, symbols, now_ns))
        return false;
    return !pod_is_evictable(pod, symbols, now_ns) || !budgets_block_fully(cluster, pod);
}
