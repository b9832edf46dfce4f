// Replacing drifted nodes of static pools.
#include "disrupt/static_drift.h"

#include "model/claim_template.h"

typedef struct {
    int64_t active, pending, deleting; // pending: a command is under way, or the node is marked for deletion
} ReplicaCount;

static ReplicaCount count_replicas(const DisruptFacts *facts, Symbol pool) {
    ReplicaCount count = {0};

    for (uint32_t i = 0; i < facts->nodes.count; i++) {
        const NodeView *view = &facts->nodes.items[i];

        if (!view->claim || view->pool != pool)
            continue;
        if (view->claim->meta.deleting)
            count.deleting++;
        else if (view->deleting || (facts->node_bits[i] & NODE_IN_COMMAND))
            count.pending++;
        else
            count.active++;
    }
    return count;
}

// How many nodes the pool may have beside those that it has.
static int64_t room_of(const NodePool *pool, const ReplicaCount *count) {
    int64_t most = resources_has(&pool->limits, NAME_NODES) ? resources_get(&pool->limits, NAME_NODES) : INT64_MAX;
    int64_t used = count->active + count->pending + count->deleting;

    return most > used ? most - used : 0;
}

DisruptCommand static_drift_command(Round *round, const DisruptionCandidate *candidate, bool is_replaced) {
    const NodePool *pool = candidate->pool->pool;
    PlannedClaim claim = {.name = symbol_text(&round->facts->cluster->symbols, pool->meta.name), .pool = pool};
    CandidateList alone = {0};
    DisruptCommand command;

    vec_push(round->arena, &alone, candidate);
    command = command_make(round->arena, METHOD_STATIC_DRIFT, &alone, NULL);
    command.pods = whatif_pods_on(round->whatif, candidate->node);
    command.saving_per_hour = 0; // the same again
    if (!is_replaced)
        return command;
    claim_template(round->arena, &round->facts->cluster->symbols, pool, &claim.labels, &claim.requirements);
    vec_push(round->arena, &command.replacements, claim);
    return command;
}

static void replace_in_pool(Round *round, const CandidateList *candidates, const NodePool *pool) {
    ReplicaCount count = count_replicas(round->facts, pool->meta.name);
    int64_t room = room_of(pool, &count);
    bool is_replaced = room > 0 || !round->options->terminate_first_drift;
    DisruptCommand command;

    if (count.active + count.pending > pool->replicas)
        return;
    for (vec_each(const DisruptionCandidate *, candidate, candidates)) {
        if ((*candidate)->pool->pool != pool)
            continue;
        if (!round_budget(round, *candidate, METHOD_STATIC_DRIFT) || (is_replaced && !room--))
            return;
        command = static_drift_command(round, *candidate, is_replaced);
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
