// Scores of moves.
#include "disrupt/balanced.h"

#include "model/pod_predicates.h"

#include <math.h>

enum { K = 2 };
static const double THRESHOLD = 1.0 / K;

typedef struct {
    double score, saved, disrupted; // of the pool's cost and disruption the shares
} Score;

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

static const DisruptionCandidate *at_node(const CandidateList *list, uint32_t node) {
    for (vec_each(const DisruptionCandidate *, candidate, list)) {
        if ((*candidate)->node == node)
            return *candidate;
    }
    return NULL;
}

// Of a node that may not be chosen: all its pods count but those of DaemonSets.
static double node_disruption(const Round *round, uint32_t node) {
    const Symbols *symbols = &round->facts->cluster->symbols;
    double sum = 1;

    for (vec_each(const Pod *, pod, &round->node_pods.pods[node])) {
        double cost = pod_is_daemon(*pod, symbols) ? 0 : pod_eviction_cost(*pod, symbols, round->facts->cost_rules);

        sum += cost > 0 ? cost : 0;
    }
    return sum;
}

static double pool_disruption(const Round *round, const CandidateList *all, const NodePool *pool) {
    double sum = 0;

    for (uint32_t i = 0; i < round->facts->nodes.count; i++) {
        const NodeView *view = &round->facts->nodes.items[i];
        const DisruptionCandidate *candidate;

        if (!view->node || view->pool != pool->meta.name)
            continue;
        candidate = at_node(all, i);
        sum += candidate ? candidate->reschedule_cost : node_disruption(round, i);
    }
    return sum;
}

// A move of several pools saves in each by the price of its nodes.
static Score score_of(const Round *round, const CandidateList *all, const CandidateList *list, const NodePool *pool,
                      double saving_per_hour) {
    double price = 0, of_pool = 0, disruption = 0, cost = pool_price(round, all, pool);
    double total_disruption = pool_disruption(round, all, pool);
    Score score = {0};

    for (vec_each(const DisruptionCandidate *, candidate, list)) {
        price += (*candidate)->price_per_hour;
        of_pool += is_of(*candidate, pool) ? (*candidate)->price_per_hour : 0;
        disruption += is_of(*candidate, pool) ? (*candidate)->reschedule_cost : 0;
    }
    if (of_pool < price)
        saving_per_hour *= of_pool / price;
    if (cost <= 0 || total_disruption <= 0 || saving_per_hour <= 0)
        return score;
    score.saved = saving_per_hour / cost;
    score.disrupted = disruption / total_disruption;
    score.score = score.disrupted > 0 ? score.saved / score.disrupted : INFINITY;
    return score;
}

// Whether the candidate is the first of its pool in the list, and the pool has the policy.
static bool opens_balanced(const CandidateList *list, uint32_t at) {
    const NodePool *pool = list->items[at]->pool->pool;

    for (uint32_t i = 0; i < at; i++) {
        if (is_of(list->items[i], pool))
            return false;
    }
    return pool->disruption.policy == CONSOLIDATE_BALANCED;
}

bool balanced_approves(const Round *round, const CandidateList *all, const CandidateList *list,
                       double saving_per_hour) {
    for (uint32_t i = 0; i < list->count; i++) {
        const NodePool *pool = list->items[i]->pool->pool;

        if (opens_balanced(list, i) && !(score_of(round, all, list, pool, saving_per_hour).score >= THRESHOLD))
            return false;
    }
    return true;
}

void balanced_note(Round *round, const CandidateList *all, const CandidateList *list, double saving_per_hour) {
    for (uint32_t i = 0; i < list->count; i++) {
        const NodePool *pool = list->items[i]->pool->pool;
        Score score;
        Slice text;

        if (!opens_balanced(list, i))
            continue;
        score = score_of(round, all, list, pool, saving_per_hour);
        text = arena_printf(round->arena, "score %.2f >= threshold %.2f (k: %d, savings %.1f%%, disruption %.1f%%)",
                            score.score, THRESHOLD, K, score.saved * 100, score.disrupted * 100);
        if (list->count == 1)
            round_note_node(round, list->items[0]->node, "ConsolidationApproved", text);
        else
            round_note_pool(round, pool->meta.name, "ConsolidationApproved", text);
    }
}
