// Counting a static pool's nodes, and replacing one.
#include "disrupt/static/static_pool.h"

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

StaticPool static_pool_look(const DisruptFacts *facts, const NodePool *pool) {
    ReplicaCount count = count_replicas(facts, pool->meta.name);

    return (StaticPool){.is_settled = count.active + count.pending <= pool->replicas, .room = room_of(pool, &count)};
}

DisruptCommand static_pool_command(Round *round, DisruptMethod method, const DisruptionCandidate *candidate,
                                   bool is_replaced) {
    const NodePool *pool = candidate->pool->pool;
    PlannedClaim claim = {.name = symbol_text(&round->facts->cluster->symbols, pool->meta.name), .pool = pool};
    CandidateList alone = {0};
    DisruptCommand command;

    vec_push(round->arena, &alone, candidate);
    command = command_make(round->arena, method, &alone, NULL);
    command.pods = whatif_pods_on(round->whatif, candidate->node);
    command.saving_per_hour = 0; // the same again
    if (!is_replaced)
        return command;
    claim_template(round->arena, &round->facts->cluster->symbols, pool, &claim.labels, &claim.requirements);
    vec_push(round->arena, &command.replacements, claim);
    return command;
}
