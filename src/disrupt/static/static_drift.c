// Replacing drifted nodes of static pools.
#include "disrupt/static/static_drift.h"

#include "disrupt/static/static_pool.h"

static void replace_in_pool(Round *round, const CandidateList *candidates, const NodePool *pool) {
    StaticPool look = static_pool_look(round->facts, pool);
    bool is_replaced = look.room > 0 || !round->options->terminate_first_drift;
    DisruptCommand command;

    if (!look.is_settled)
        return;
    for (vec_each(const DisruptionCandidate *, candidate, candidates)) {
        if ((*candidate)->pool->pool != pool)
            continue;
        if (!round_budget(round, *candidate, METHOD_STATIC_DRIFT) || (is_replaced && !look.room--))
            return;
        command = static_pool_command(round, METHOD_STATIC_DRIFT, *candidate, is_replaced);
        round_take(round, &command);
    }
}

void static_drift_find(Round *round) {
    CandidateList candidates = round_candidates(round, METHOD_STATIC_DRIFT);

    for (vec_each(const PlanPool, pool, &round->facts->pools)) {
        if (pool->pool->is_static)
            replace_in_pool(round, &candidates, pool->pool);
    }
}
