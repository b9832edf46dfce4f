// Counting of the nodes that are not at rest, by pool.
#include "disrupt/worth/rest.h"

#include "text/duration.h"

enum { LEAST_NODES = 10, SHARE = 20 };

static bool claim_has(const Round *round, const DisruptionCandidate *candidate, Slice condition) {
    const NodeView *view = &round->facts->nodes.items[candidate->node];

    return condition_is_true(&view->claim->conditions, &round->facts->cluster->symbols, condition);
}

static bool may_be_consolidated(const Round *round, const DisruptionCandidate *candidate) {
    const NodePool *pool = candidate->pool->pool;

    return !pool->is_static && pool->disruption.consolidate_after_ns != DURATION_NEVER &&
           pool->disruption.policy != CONSOLIDATE_WHEN_EMPTY && claim_has(round, candidate, SLICE("Initialized"));
}

static bool is_restless(const Round *round, const DisruptionCandidate *candidate) {
    return may_be_consolidated(round, candidate) && !claim_has(round, candidate, SLICE("Consolidatable"));
}

bool rest_look(Round *round) {
    const PlanPoolVec *pools = &round->facts->pools;
    uint32_t *nodes = arena_array(round->arena, uint32_t, pools->count);
    uint32_t *restless = arena_array(round->arena, uint32_t, pools->count);
    bool any = false;

    round->is_restless = arena_array(round->arena, bool, pools->count);
    for (vec_each(const DisruptionCandidate, candidate, round_all(round, DISRUPTION_GRACEFUL))) {
        if (!candidate->pool)
            continue;
        nodes[candidate->pool - pools->items]++;
        restless[candidate->pool - pools->items] += is_restless(round, candidate);
    }
    for (uint32_t i = 0; i < pools->count; i++) {
        round->is_restless[i] = restless[i] >= LEAST_NODES && restless[i] * SHARE >= nodes[i];
        any |= round->is_restless[i];
    }
    return any;
}
