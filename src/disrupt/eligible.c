// The filters of the methods.
#include "disrupt/eligible.h"

#include "disrupt/repair/sickness.h"
#include "text/duration.h"

DisruptionClass eligible_class(DisruptMethod method) {
    if (method == METHOD_REPAIR || method == METHOD_EXPIRATION)
        return DISRUPTION_FORCEFUL;
    return method == METHOD_STATIC_DRIFT || method == METHOD_DRIFT ? DISRUPTION_EVENTUAL : DISRUPTION_GRACEFUL;
}

static const NodePool *pool_of(const DisruptionCandidate *candidate) {
    return candidate->pool->pool;
}

static bool claim_has(const Round *round, const DisruptionCandidate *candidate, Slice condition) {
    const NodeView *view = &round->facts->nodes.items[candidate->node];

    return condition_is_true(&view->claim->conditions, &round->facts->cluster->symbols, condition);
}

static bool is_disabled(const Round *round, const DisruptionCandidate *candidate, Slice *ret_why) {
    Slice name = symbol_text(&round->facts->cluster->symbols, pool_of(candidate)->meta.name);

    if (pool_of(candidate)->disruption.consolidate_after_ns != DURATION_NEVER)
        return false;
    *ret_why = arena_printf(round->arena, "NodePool \"%.*s\" has consolidation disabled", SLICE_ARG(name));
    return true;
}

// The veto of 2023 on a Node, which holds for nodes of Provisioners. Reference legacy.md 4.
static bool is_kept(const Round *round, const DisruptionCandidate *candidate, Slice *ret_why) {
    const NodeView *view = &round->facts->nodes.items[candidate->node];

    if (labels_get(&view->labels, NAME_PROVISIONER_NAME) == INDEX_NONE ||
        labels_get(&view->node->meta.annotations, NAME_DO_NOT_CONSOLIDATE) != NAME_TRUE)
        return false;
    *ret_why = SLICE("Node has the annotation karpenter.sh/do-not-consolidate");
    return true;
}

static bool is_for_emptiness(const Round *round, const DisruptionCandidate *candidate, Slice *ret_why) {
    if (pool_of(candidate)->is_static || is_disabled(round, candidate, ret_why))
        return false;
    if (pool_of(candidate)->disruption.policy != CONSOLIDATE_WHEN_EMPTY && is_kept(round, candidate, ret_why))
        return false; // with ttlSecondsAfterEmpty it goes all the same
    return reschedule_cost_is_empty(candidate->reschedule_cost) && claim_has(round, candidate, SLICE("Consolidatable"));
}

static Slice lacks_label(const Round *round, const NodeView *view, Symbol key) {
    if (labels_get(&view->labels, key) != INDEX_NONE)
        return (Slice){0};
    return arena_printf(round->arena, "Node does not have label \"%.*s\"",
                        SLICE_ARG(symbol_text(&round->facts->cluster->symbols, key)));
}

// Why its price is not known.
static Slice price_unknown(const Round *round, const DisruptionCandidate *candidate) {
    const Symbols *symbols = &round->facts->cluster->symbols;
    const NodeView *view = &round->facts->nodes.items[candidate->node];
    Symbol type = labels_get(&view->labels, NAME_INSTANCE_TYPE);
    Slice why;

    if (!candidate->type)
        return arena_printf(round->arena, "Instance Type \"%.*s\" not found",
                            SLICE_ARG(symbol_text(symbols, type == INDEX_NONE ? NAME_EMPTY : type)));
    why = lacks_label(round, view, NAME_CAPACITY_TYPE);
    return why.len ? why : lacks_label(round, view, NAME_ZONE);
}

// Whether a move that launched the node has saved what it cost. A time that cannot be read is none.
static bool has_paid_back(const Round *round, const DisruptionCandidate *candidate) {
    Symbol at = labels_get(&round->facts->nodes.items[candidate->node].claim->meta.annotations, NAME_PAID_BACK_AT);
    int64_t at_ns;
    Err err;

    return at == INDEX_NONE || time_parse(symbol_text(&round->facts->cluster->symbols, at), &at_ns, &err) != OK ||
           at_ns <= round->facts->wall_ns;
}

// Emptiness takes care of nodes without pods. Those whose pods cost nothing to move are left to consolidation, if
// emptiness found no place for them.
static bool is_for_consolidation(const Round *round, const DisruptionCandidate *candidate, Slice *ret_why) {
    Slice name = symbol_text(&round->facts->cluster->symbols, pool_of(candidate)->meta.name);

    if (pool_of(candidate)->is_static)
        return false;
    if (round->is_restless && round->is_restless[candidate->pool - round->facts->pools.items])
        return false;
    *ret_why = price_unknown(round, candidate);
    if (ret_why->len || is_disabled(round, candidate, ret_why) || is_kept(round, candidate, ret_why))
        return false;
    if (reschedule_cost_is_empty(candidate->reschedule_cost) && !whatif_pods_on(round->whatif, candidate->node))
        return false;
    if (pool_of(candidate)->disruption.policy == CONSOLIDATE_WHEN_EMPTY) {
        *ret_why =
            arena_printf(round->arena, "NodePool \"%.*s\" has consolidation policy WhenEmpty, but node is not empty",
                         SLICE_ARG(name));
        return false;
    }
    if (!has_paid_back(round, candidate)) {
        *ret_why = SLICE("It was launched to save money, which has not paid back yet");
        return false;
    }
    return claim_has(round, candidate, SLICE("Consolidatable"));
}

// Karpenter reads the annotation of its candidate alone; its documentation says Node and NodeClaim, and so does tenon.
static bool is_for_repair(const Round *round, const DisruptionCandidate *candidate) {
    const NodeView *view = &round->facts->nodes.items[candidate->node];

    return labels_get(&view->node->meta.annotations, NAME_DO_NOT_REPAIR) != NAME_TRUE &&
           labels_get(&view->claim->meta.annotations, NAME_DO_NOT_REPAIR) != NAME_TRUE &&
           sickness_in(round->facts, candidate->node).policy;
}

bool is_eligible(const Round *round, DisruptMethod method, const DisruptionCandidate *candidate, Slice *ret_why) {
    switch (method) {
    case METHOD_EMPTINESS:
        return is_for_emptiness(round, candidate, ret_why);
    case METHOD_STATIC_DRIFT:
        return pool_of(candidate)->is_static && claim_has(round, candidate, SLICE("Drifted"));
    case METHOD_DRIFT:
        return !pool_of(candidate)->is_static && claim_has(round, candidate, SLICE("Drifted"));
    case METHOD_CONSOLIDATION:
        return is_for_consolidation(round, candidate, ret_why);
    case METHOD_REPAIR:
        return is_for_repair(round, candidate);
    case METHOD_EXPIRATION: // chooses by time: expiration.c
    case DISRUPT_METHOD_COUNT:
        break;
    }
    return false;
}
