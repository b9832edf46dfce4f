// Predicates over pods.
#include "model/pod_predicates.h"

#include "base/time.h"
#include "text/duration.h"

static const int64_t STUCK_AFTER_NS = POD_STUCK_AFTER_S * NS_PER_S;

bool pod_is_active(const Pod *pod) {
    return !pod_is_terminal(pod) && !pod->deleting;
}

bool pod_is_daemon(const Pod *pod) {
    return pod_is_owned_by(pod, NAME_APPS_V1, NAME_DAEMON_SET);
}

bool pod_is_mirror(const Pod *pod) {
    return pod_is_owned_by(pod, NAME_V1, NAME_NODE);
}

bool pod_is_stateful(const Pod *pod) {
    return pod_is_owned_by(pod, NAME_APPS_V1, NAME_STATEFUL_SET);
}

bool pod_is_of_replica_set(const Pod *pod) {
    return pod_is_owned_by(pod, NAME_APPS_V1, NAME_REPLICA_SET);
}

bool pod_deletion_cost_is_own(const Pod *pod) {
    Symbol own = labels_get(&pod->annotations, NAME_OWN_DELETION_COST);

    return own != INDEX_NONE && own == labels_get(&pod->annotations, NAME_POD_DELETION_COST);
}

bool pod_is_critical(const Pod *pod, const Symbols *symbols) {
    Slice class = symbol_text(symbols, pod->spec->priority_class);

    return slice_eq_text(class, "system-cluster-critical") || slice_eq_text(class, "system-node-critical");
}

bool pod_is_pending(const Pod *pod) {
    if (pod->node_name != NAME_EMPTY || pod->nominated_node_name != NAME_EMPTY || pod->gated || pod_is_terminal(pod))
        return false;
    return !pod->deleting && !pod_is_daemon(pod) && !pod_is_mirror(pod);
}

bool pod_is_provisionable(const Pod *pod) {
    return pod->unschedulable && pod_is_pending(pod);
}

Symbol pod_node(const Pod *pod) {
    if (pod_is_terminal(pod))
        return NAME_EMPTY;
    return pod->node_name == NAME_EMPTY ? pod->nominated_node_name : pod->node_name;
}

bool pod_is_reschedulable(const Pod *pod) {
    bool returns = pod->deleting && pod_is_stateful(pod);

    if (pod_is_terminal(pod) || (!pod_is_active(pod) && !returns))
        return false;
    return !pod_is_daemon(pod) && !pod_is_mirror(pod);
}

static DoNotDisrupt invalid(Err *err, Slice value, const char *why) {
    err_set(err, ERR_INVALID, "\"%.*s\" is %s, expected \"true\" or a positive duration such as \"30m\"",
            SLICE_ARG(value), why);
    return (DoNotDisrupt){.state = DO_NOT_DISRUPT_INVALID};
}

DoNotDisrupt pod_do_not_drain(const Pod *pod, const Symbols *symbols, int64_t now_ns, Err *err) {
    Symbol annotation = labels_get(&pod->annotations, NAME_DO_NOT_DISRUPT);
    int64_t duration_ns, until_ns;
    Slice value;

    if (annotation == INDEX_NONE)
        return (DoNotDisrupt){.state = DO_NOT_DISRUPT_NONE};
    if (annotation == NAME_TRUE)
        return (DoNotDisrupt){.state = DO_NOT_DISRUPT_ALWAYS};
    value = symbol_text(symbols, annotation);
    if (duration_parse(value, &duration_ns, NULL) != OK)
        return invalid(err, value, "no duration");
    if (duration_ns <= 0)
        return invalid(err, value, "not positive");
    if (pod->started_ns == 0 || __builtin_add_overflow(pod->started_ns, duration_ns, &until_ns))
        return (DoNotDisrupt){.state = DO_NOT_DISRUPT_UNTIL, .until_ns = INT64_MAX};
    return (DoNotDisrupt){.state = now_ns < until_ns ? DO_NOT_DISRUPT_UNTIL : DO_NOT_DISRUPT_ELAPSED,
                          .until_ns = until_ns};
}

static bool is_in_force(DoNotDisrupt answer) {
    return answer.state == DO_NOT_DISRUPT_ALWAYS || answer.state == DO_NOT_DISRUPT_UNTIL;
}

DoNotDisrupt pod_do_not_disrupt(const Pod *pod, const Symbols *symbols, int64_t now_ns, Err *err) {
    if (labels_get(&pod->annotations, NAME_DO_NOT_EVICT) == NAME_TRUE)
        return (DoNotDisrupt){.state = DO_NOT_DISRUPT_ALWAYS};
    return pod_do_not_drain(pod, symbols, now_ns, err);
}

bool pod_is_do_not_disrupt(const Pod *pod, const Symbols *symbols, int64_t now_ns) {
    return is_in_force(pod_do_not_disrupt(pod, symbols, now_ns, NULL));
}

bool pod_is_disruptable(const Pod *pod, const Symbols *symbols, int64_t now_ns) {
    return !pod_is_active(pod) || !pod_is_do_not_disrupt(pod, symbols, now_ns);
}

bool pod_tolerates_disrupted(const Pod *pod, const Symbols *symbols) {
    static const Taint disrupted = {.key = NAME_DISRUPTED, .value = NAME_EMPTY, .effect = EFFECT_NO_SCHEDULE};

    return taint_is_tolerated(symbols, &disrupted, &pod->spec->tolerations);
}

bool pod_is_evictable(const Pod *pod, const Symbols *symbols, int64_t now_ns) {
    return pod_is_active(pod) && !pod_is_mirror(pod) && !pod_tolerates_disrupted(pod, symbols) &&
           !is_in_force(pod_do_not_drain(pod, symbols, now_ns, NULL));
}

int64_t pod_surge_ns(const Pod *pod, const Symbols *symbols) {
    Symbol annotation = labels_get(&pod->annotations, NAME_SURGE);
    int64_t duration_ns;

    if (annotation == INDEX_NONE)
        return 0;
    if (annotation == NAME_TRUE)
        return POD_SURGE_MIN * NS_PER_MIN;
    return duration_parse(symbol_text(symbols, annotation), &duration_ns, NULL) == OK && duration_ns > 0 ? duration_ns
                                                                                                         : 0;
}

Slice pod_deployment(const Pod *pod, const Symbols *symbols) {
    const OwnerReference *owner = pod_controller(pod);
    Symbol hash = labels_get(&pod->labels, NAME_POD_TEMPLATE_HASH);
    Slice set, suffix;

    if (!owner || hash == INDEX_NONE || !slice_eq_text(symbol_text(symbols, owner->kind), "ReplicaSet"))
        return (Slice){0};
    set = symbol_text(symbols, owner->name);
    suffix = symbol_text(symbols, hash);
    if (set.len < suffix.len + 2 || !slice_ends_with(set, suffix) || set.ptr[set.len - suffix.len - 1] != '-')
        return (Slice){0};
    return slice_first(set, set.len - suffix.len - 1);
}

Slice pod_surges_for(const Pod *pod, const Symbols *symbols) {
    Symbol annotation = labels_get(&pod->annotations, NAME_SURGE_FOR);
    Slice text = annotation == INDEX_NONE ? (Slice){0} : symbol_text(symbols, annotation);
    ptrdiff_t slash = slice_find(text, '/');

    return slash > 0 ? slice_first(text, (size_t)slash) : (Slice){0};
}

int64_t pod_stuck_at(const Pod *pod) {
    if (!pod->deleting || pod->deleted_ns > INT64_MAX - STUCK_AFTER_NS)
        return INT64_MAX;
    return pod->deleted_ns + STUCK_AFTER_NS;
}

bool pod_is_stuck_terminating(const Pod *pod, int64_t now_ns) {
    return pod->deleting && now_ns > pod_stuck_at(pod);
}

bool pod_is_drainable(const Pod *pod, const Symbols *symbols, int64_t now_ns) {
    return !pod_tolerates_disrupted(pod, symbols) && !pod_is_stuck_terminating(pod, now_ns) && !pod_is_mirror(pod);
}

bool pod_is_waiting_eviction(const Pod *pod, const Symbols *symbols, int64_t now_ns) {
    return !pod_is_terminal(pod) && pod_is_drainable(pod, symbols, now_ns);
}
