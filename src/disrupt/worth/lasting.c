// Rooms after a move, and how long ago they would have been too small.
#include "disrupt/worth/lasting.h"

#include "disrupt/worth/worthwhile.h"

#include <math.h>

// However short ago the room was needed: most load that falls does not come back at once.
static const int64_t LASTS_AT_LEAST_NS = 20 * NS_PER_MIN;

static Symbol pool_of(const DisruptionCandidate *candidate) {
    return candidate->pool->pool->meta.name;
}

static void take_nodes(const Round *round, Arena *arena, Symbol pool, Resources *room, const CandidateList *nodes) {
    for (vec_each(const DisruptionCandidate *, candidate, nodes)) {
        if (pool_of(*candidate) == pool)
            resources_subtract(arena, room, &round->facts->nodes.items[(*candidate)->node].allocatable);
    }
}

static void add_claims(const Round *round, Arena *arena, Symbol pool, Resources *room, const PlannedClaimVec *claims) {
    for (vec_each(const PlannedClaim, claim, claims)) {
        if (claim->pool->meta.name == pool && claim->choice) {
            Resources more =
                instance_type_allocatable(arena, &round->facts->cluster->symbols, claim->choice, claim->offering);

            resources_add(arena, room, &more);
        }
    }
}

static void change_room(const Round *round, Arena *arena, PoolAmount *of, const LastingMove *move) {
    take_nodes(round, arena, of->pool, &of->amount, move->nodes);
    add_claims(round, arena, of->pool, &of->amount, move->claims);
}

void lasting_take(const Round *round, PoolAmountVec *rooms, const LastingMove *move) {
    for (vec_each(PoolAmount, of, rooms))
        change_room(round, round->arena, of, move);
}

// How long ago the room that is left would have been too small.
static int64_t needed_ago_ns(const Round *round, const PoolAmountVec *rooms, const LastingMove *move) {
    const DisruptOptions *options = round->options;
    int64_t last_ns = INT64_MAX;

    for (vec_each(const DisruptionCandidate *, candidate, move->nodes)) {
        const Resources *room = pool_amount(rooms, pool_of(*candidate));
        Arena arena = {0};
        PoolAmount after = {.pool = pool_of(*candidate)};
        int64_t ago_ns;

        if (!room)
            continue;
        after.amount = resources_copy(&arena, room);
        change_room(round, &arena, &after, move);
        ago_ns = demand_needed_ago_ns(options->demand, options->now, after.pool, &after.amount);
        last_ns = ago_ns < last_ns ? ago_ns : last_ns;
        arena_free(&arena);
    }
    return last_ns;
}

int64_t lasting_wait_ns(const Round *round, const PoolAmountVec *rooms, const LastingMove *move) {
    int64_t ago_ns = needed_ago_ns(round, rooms, move);
    double pays_ns = worthwhile_hours(round, move->nodes, move->saving_per_hour) * NS_PER_HOUR;

    if (ago_ns == INT64_MAX || pays_ns <= fmax((double)ago_ns, (double)LASTS_AT_LEAST_NS))
        return 0;
    return (int64_t)fmin(pays_ns - (double)ago_ns, (double)NS_PER_DAY);
}
