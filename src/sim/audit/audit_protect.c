// The rule about protected nodes and pods. Protection that is younger than a minute may not have been seen.
#include "sim/audit/audit_protect.h"

#include "model/names.h"
#include "sim/audit/audit_commands.h"
#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_rules.h"
#include "text/duration.h"

// --- PodDisruptionBudgets

static bool allows_none(const PodDisruptionBudget *budget) {
    return budget && budget->has_status && budget->disruptions_allowed <= 0;
}

void audit_note_pod_budget(Audit *audit, const PodDisruptionBudget *before, const PodDisruptionBudget *after) {
    uint32_t slot;

    if (!after || (before && allows_none(before) == allows_none(after)))
        return;
    slot = u64_map_get(&audit->pod_budgets, after->meta.uid);
    if (slot == INDEX_NONE) {
        slot = audit->pod_budget_closed_ns.count;
        symbol_hold(&audit->symbols, after->meta.uid);
        vec_push(&audit->arena, &audit->pod_budget_closed_ns, 0);
        u64_map_put(&audit->arena, &audit->pod_budgets, after->meta.uid, slot);
    }
    audit->pod_budget_closed_ns.items[slot] = allows_none(after) ? world_now_ns(audit->world) : 0;
}

static bool is_closed(const Audit *audit, const PodDisruptionBudget *budget, const Pod *pod) {
    uint32_t slot = u64_map_get(&audit->pod_budgets, budget->meta.uid);
    int64_t since = slot == INDEX_NONE ? 0 : audit->pod_budget_closed_ns.items[slot];

    return since && audit_is_old(audit, since) && !(budget->always_allow_unhealthy && !pod->ready);
}

static bool covers(const PodDisruptionBudget *budget, const Pod *pod) {
    return budget->selector && selector_matches(budget->selector, &pod->labels);
}

// Whether the eviction API refuses the pod: the only budget that covers it is closed, or there are several.
static bool is_refused(const Audit *audit, const Pod *pod) {
    const State *state = world_state(audit->world);
    uint32_t covering = 0, closed = 0;

    for (vec_each(const Handle, handle, state_budgets_in(state, pod->ns))) {
        const PodDisruptionBudget *budget = state_pod_disruption_budget(state, *handle);

        if (!covers(budget, pod) || !audit_is_old(audit, budget->meta.created_ns))
            continue;
        covering++;
        closed += is_closed(audit, budget, pod);
    }
    return covering > 1 || closed;
}

// --- pods

// karpenter.sh/do-not-disrupt: "true", or a duration from the pod's start on.
static bool is_guarded(const Audit *audit, const Pod *pod) {
    const Symbols *symbols = world_symbols(audit->world);
    Symbol key = symbol_find(symbols, SLICE("karpenter.sh/do-not-disrupt"));
    Symbol value = key == INDEX_NONE ? INDEX_NONE : labels_get(&pod->annotations, key);
    int64_t duration_ns;

    if (value == INDEX_NONE)
        return false;
    if (slice_eq(symbol_text(symbols, value), SLICE("true")))
        return true;
    return duration_parse(symbol_text(symbols, value), &duration_ns, NULL) == OK && duration_ns > 0 &&
           world_now_ns(audit->world) - pod->started_ns < duration_ns;
}

// A pod is judged when it has been on its node for a minute.
static bool is_settled(const Audit *audit, const Pod *pod) {
    return !pod_is_terminal(pod) && !pod->deleting && pod->started_ns && audit_is_old(audit, pod->started_ns);
}

static const char *what_protects(const Audit *audit, const Pod *pod) {
    if (!is_settled(audit, pod))
        return NULL;
    if (is_guarded(audit, pod))
        return "is do-not-disrupt";
    return audit_is_evictable(audit, pod) && is_refused(audit, pod) ? "is refused by PodDisruptionBudgets" : NULL;
}

// --- surge

static Slice annotation_of(const Audit *audit, const Pod *pod, const char *name) {
    const Symbols *symbols = world_symbols(audit->world);
    Symbol key = symbol_find(symbols, slice_of(name));
    Symbol value = key == INDEX_NONE ? INDEX_NONE : labels_get(&pod->annotations, key);

    return value == INDEX_NONE ? (Slice){0} : symbol_text(symbols, value);
}

// Whether the pod says that it was started for the other one, less than that time ago.
static bool is_for(const Audit *audit, const Pod *pod, const Pod *other, int64_t within_ns) {
    Slice record = annotation_of(audit, pod, "tenon.sh/surge-for"), uid = audit_text(audit, other->uid);
    int64_t at_ns;

    return record.len > uid.len + 1 && slice_starts_with(record, uid) &&
           time_parse(slice_from(record, uid.len + 1), &at_ns, NULL) == OK &&
           world_now_ns(audit->world) - at_ns < within_ns;
}

static bool is_surging(const Audit *audit, const Pod *pod) {
    const State *state = world_state(audit->world);
    Slice text = annotation_of(audit, pod, "tenon.sh/surge");
    int64_t within_ns = 5 * NS_PER_MIN;

    if (!text.len || (!slice_eq_text(text, "true") && duration_parse(text, &within_ns, NULL) != OK))
        return false;
    for (Handle handle = state_next(state, KUBE_POD, HANDLE_NONE); handle.generation;
         handle = state_next(state, KUBE_POD, handle)) {
        if (is_for(audit, state_pod(state, handle), pod, within_ns))
            return true;
    }
    return false;
}

// --- the rules

void audit_check_evictable(Audit *audit, const Pod *pod) {
    const Symbols *symbols = world_symbols(audit->world);

    if (is_settled(audit, pod) && is_guarded(audit, pod))
        audit_violate(audit, AUDIT_PROTECTED, "pod %.*s/%.*s is evicted though it is do-not-disrupt",
                      SLICE_ARG(symbol_text(symbols, pod->ns)), SLICE_ARG(symbol_text(symbols, pod->name)));
    if (is_surging(audit, pod))
        audit_violate(audit, AUDIT_SURGED, "pod %.*s/%.*s is evicted while another one starts in its place",
                      SLICE_ARG(symbol_text(symbols, pod->ns)), SLICE_ARG(symbol_text(symbols, pod->name)));
}

static void check_pods(Audit *audit, const Node *node) {
    const State *state = world_state(audit->world);
    const Symbols *symbols = world_symbols(audit->world);

    for (vec_each(const Handle, handle, state_pods_on_node(state, node->meta.name))) {
        const Pod *pod = state_pod(state, *handle);
        const char *why = what_protects(audit, pod);

        if (why)
            audit_violate(audit, AUDIT_PROTECTED, "node %.*s is disrupted though pod %.*s/%.*s %s",
                          SLICE_ARG(symbol_text(symbols, node->meta.name)), SLICE_ARG(symbol_text(symbols, pod->ns)),
                          SLICE_ARG(symbol_text(symbols, pod->name)), why);
    }
}

// Whether the drain of the node has an end: the claim's, or that of the policy by which it is repaired.
static bool has_end(const Audit *audit, const NodeClaim *claim, const Node *node, DisruptionReason reason) {
    Symbol record = labels_get(&node->meta.annotations, NAME_COMMAND);

    if (claim->spec.has_termination_grace_period)
        return reason == DISRUPTION_DRIFTED || reason == DISRUPTION_UNHEALTHY;
    return reason == DISRUPTION_UNHEALTHY && record != INDEX_NONE &&
           slice_contains(symbol_text(world_symbols(audit->world), record), SLICE("/drains-"));
}

// Drift and repair may take pods whose drain has an end; do-not-disrupt does not keep sick nodes.
void audit_check_protected(Audit *audit, const NodeClaim *claim, const Node *node, DisruptionReason reason) {
    const AuditClaim *known = audit_claim(audit, claim);

    if (reason != DISRUPTION_UNHEALTHY && known->guarded_ns && audit_is_old(audit, known->guarded_ns))
        audit_violate(audit, AUDIT_PROTECTED, "node %.*s is disrupted though it is do-not-disrupt",
                      SLICE_ARG(symbol_text(world_symbols(audit->world), node->meta.name)));
    if (!has_end(audit, claim, node, reason))
        check_pods(audit, node);
}
