// Scores of moves.
#include "disrupt/worth/balanced.h"

#include "model/pod_predicates.h"

#include <math.h>

enum { K = 2 };
static const double THRESHOLD = 1.0 / K;

// --- the score

BalancedScore balanced_score(double saving, double disruption, double pool_price, double pool_disruption) {
    BalancedScore score = {0};

    if (pool_price <= 0 || pool_disruption <= 0 || saving <= 0)
        return score;
    score.saved = saving / pool_price;
    score.disrupted = disruption / pool_disruption;
    score.score = score.disrupted > 0 ? score.saved / score.disrupted : INFINITY;
    return score;
}

bool balanced_is_enough(double score) {
    return score >= THRESHOLD;
}

// --- of a pool

static bool is_of(const DisruptionCandidate *candidate, const NodePool *pool) {
    return candidate->pool && candidate->pool->pool == pool;
}

// Prices of all of the pool's nodes or, if none is known, of those that may be chosen.
static double pool_price(const Round *round, const CandidateList *all, const NodePool *pool) {
    double sum = 0;

    for (vec_each(const DisruptionCandidate, candidate, &round->candidates[DISRUPTION_GRACEFUL]))
        sum += is_of(candidate, pool) ? candidate->price_per_hour : 0;
    if (sum > 0)
        return sum;
    for (vec_each(const DisruptionCandidate *, candidate, all))
        sum += is_of(*candidate, pool) ? (*candidate)->price_per_hour : 0;
    return sum;
}

// Of a node that may not be chosen: all its pods count but those of DaemonSets.
static double node_disruption(const Round *round, uint32_t node) {
    const Symbols *symbols = &round->facts->cluster->symbols;
    double sum = 1;

    for (vec_each(const Pod *, pod, &round->node_pods.pods[node])) {
        double cost = pod_is_daemon(*pod) ? 0 : pod_eviction_cost(*pod, symbols, round->facts->cost_rules);

        sum += cost > 0 ? cost : 0;
    }
    return sum;
}

// Per node, what it costs to reschedule the pods of those that may be chosen; NAN for the others.
static double *costs_by_node(Arena *arena, const Round *round, const CandidateList *all) {
    double *costs = arena_array(arena, double, round->facts->nodes.count + 1);

    for (uint32_t i = 0; i < round->facts->nodes.count; i++)
        costs[i] = NAN;
    for (vec_each(const DisruptionCandidate *, candidate, all))
        costs[(*candidate)->node] = (*candidate)->reschedule_cost;
    return costs;
}

static double pool_disruption(const Round *round, const CandidateList *all, const NodePool *pool) {
    Arena scratch = {0};
    const double *costs = costs_by_node(&scratch, round, all);
    double sum = 0;

    for (uint32_t i = 0; i < round->facts->nodes.count; i++) {
        const NodeView *view = &round->facts->nodes.items[i];

        if (view->node && view->pool == pool->meta.name)
            sum += isnan(costs[i]) ? node_disruption(round, i) : costs[i];
    }
    arena_free(&scratch);
    return sum;
}

// A move of several pools saves in each by the price of its nodes.
static BalancedScore score_of(const Round *round, const CandidateList *all, const CandidateList *list,
                              const NodePool *pool, double saving_per_hour) {
    double price = 0, of_pool = 0, disruption = 0;

    for (vec_each(const DisruptionCandidate *, candidate, list)) {
        price += (*candidate)->price_per_hour;
        of_pool += is_of(*candidate, pool) ? (*candidate)->price_per_hour : 0;
        disruption += is_of(*candidate, pool) ? (*candidate)->reschedule_cost : 0;
    }
    if (of_pool < price)
        saving_per_hour *= of_pool / price;
    return balanced_score(saving_per_hour, disruption, pool_price(round, all, pool), pool_disruption(round, all, pool));
}

// --- moves

// Whether the candidate is the first of its pool in the list.
static bool opens_pool(const CandidateList *list, uint32_t at) {
    for (uint32_t i = 0; i < at; i++) {
        if (is_of(list->items[i], list->items[at]->pool->pool))
            return false;
    }
    return true;
}

static bool opens_balanced(const CandidateList *list, uint32_t at) {
    return list->items[at]->pool->pool->disruption.policy == CONSOLIDATE_BALANCED && opens_pool(list, at);
}

bool balanced_approves(const Round *round, const CandidateList *all, const CandidateList *list,
                       double saving_per_hour) {
    for (uint32_t i = 0; i < list->count; i++) {
        const NodePool *pool = list->items[i]->pool->pool;

        if (opens_balanced(list, i) && !balanced_is_enough(score_of(round, all, list, pool, saving_per_hour).score))
            return false;
    }
    return true;
}

static void note_score(Round *round, const CandidateList *list, const NodePool *pool, const BalancedScore *score) {
    Slice text = arena_printf(round->arena, "score %.2f >= threshold %.2f (k: %d, savings %.1f%%, disruption %.1f%%)",
                              score->score, THRESHOLD, K, score->saved * 100, score->disrupted * 100);

    if (list->count == 1)
        round_note_node(round, list->items[0]->node, "ConsolidationApproved", text);
    else
        round_note_pool(round, pool->meta.name, "ConsolidationApproved", text);
}

void balanced_record(Round *round, const CandidateList *all, const CandidateList *list, double saving_per_hour,
                     bool is_approved) {
    for (uint32_t i = 0; i < list->count; i++) {
        const NodePool *pool = list->items[i]->pool->pool;
        DisruptMove move = {.pool = pool->meta.name,
                            .policy = pool->disruption.policy,
                            .is_approved = is_approved,
                            .pool_approves = true,
                            .score = NAN};

        if (!opens_pool(list, i))
            continue;
        if (pool->disruption.policy == CONSOLIDATE_BALANCED) {
            BalancedScore score = score_of(round, all, list, pool, saving_per_hour);

            move.score = score.score;
            move.pool_approves = balanced_is_enough(score.score);
            if (is_approved && move.pool_approves)
                note_score(round, list, pool, &score);
        }
        vec_push(round->arena, &round->pass->moves, move);
    }
}
