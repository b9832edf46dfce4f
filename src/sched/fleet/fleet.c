// The search: single sources first, the most wasteful first; then groups.
#include "sched/fleet/bound.h"
#include "sched/fleet/link.h"
#include "sched/fleet/move.h"
#include "sched/fleet/parts.h"
#include "sched/fleet/start.h"
#include "sched/fleet/worth.h"

#include "sched/bin/limits.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    uint32_t source;
    double rank; // the lowest first
} Ranked;
typedef Vec(Ranked) RankedVec;

static int compare_ranked(const void *a, const void *b) {
    const Ranked *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->source > y->source) - (x->source < y->source);
}

// A node whose pods are worth what it costs is no source: no set of new nodes for them is cheaper.
static bool is_wasteful(FleetSearch *search, uint32_t source) {
    FleetVerdict *verdict = &search->verdicts[source];
    const FleetSource *of = &search->input->sources.items[source];

    verdict->worth = fleet_worth_of_bin(search, &search->solver->bins.items[search->bin_of_source[source]]);
    verdict->gain = NAN;
    if (verdict->fate == STAYS_OCCUPIED)
        return false;
    verdict->fate = verdict->worth + of->disruption < of->price_per_hour ? STAYS_UNTRIED : STAYS_FULL;
    return verdict->fate == STAYS_UNTRIED;
}

static RankedVec rank_sources(FleetSearch *search) {
    RankedVec ranked = {0};

    for (uint32_t i = 0; i < search->input->sources.count; i++) {
        if (is_wasteful(search, i))
            vec_push(search->arena, &ranked,
                     (Ranked){i, search->verdicts[i].worth / search->input->sources.items[i].price_per_hour});
    }
    if (ranked.count)
        qsort(ranked.items, ranked.count, sizeof *ranked.items, compare_ranked);
    return ranked;
}

static void try_singles(FleetSearch *search, const RankedVec *ranked) {
    for (uint32_t i = 0; i < ranked->count && fleet_goes_on(search); i++) {
        MoveSet set = {.sources = {&ranked->items[i].source, 1, 1}};
        double gain;

        if (search->verdicts[ranked->items[i].source].fate != GOES) // it may have gone with others
            (void)fleet_move(search, &set, &gain);
    }
}

// --- full nodes

// Failures in a row after which no more full nodes are tried.
enum { PATIENCE_FULL = 100 };

// Sources that cost no more than their pods are worth, those first that save most for their disruption.
static RankedVec rank_full(FleetSearch *search) {
    RankedVec ranked = {0};

    for (uint32_t i = 0; i < search->input->sources.count; i++) {
        const FleetSource *of = &search->input->sources.items[i];

        if (search->verdicts[i].fate == STAYS_FULL && of->disruption < of->price_per_hour)
            vec_push(search->arena, &ranked, (Ranked){i, of->disruption / of->price_per_hour});
    }
    if (ranked.count)
        qsort(ranked.items, ranked.count, sizeof *ranked.items, compare_ranked);
    return ranked;
}

// No new nodes are cheaper than a full one, but nodes that are no sources may have room for its pods.
static void try_full(FleetSearch *search) {
    RankedVec ranked = rank_full(search);
    uint32_t patience = PATIENCE_FULL;

    for (uint32_t i = 0; i < ranked.count && patience && fleet_goes_on(search); i++) {
        MoveSet set = {.sources = {&ranked.items[i].source, 1, 1}};
        FleetVerdict *verdict = &search->verdicts[ranked.items[i].source];
        double gain;

        patience--;
        if (verdict->fate != STAYS_FULL) // it went with others
            continue;
        if (fleet_move(search, &set, &gain))
            patience = PATIENCE_FULL;
        else if (verdict->fate != STAYS_BUDGET)
            verdict->fate = STAYS_FULL;
    }
}

// --- groups

// Groups of this size at most, and failures in a row after which no more are tried. In a large fleet that changed
// little since a search that found nothing, each further one tries a tenth of that, other groups than the last.
enum { GROUP_MOST = 5, PATIENCE = 1000, PATIENCE_SETTLED = 100, SETTLED_SOURCES = 500 };

static uint32_t patience_for(const FleetSearch *search) {
    return search->input->settled && search->input->sources.count > SETTLED_SOURCES ? PATIENCE_SETTLED : PATIENCE;
}

// Sources that have not gone, from one on in the order of their waste: what little each has left fits on fewer nodes.
static MoveSet choose_group(FleetSearch *search, Arena *arena, const RankedVec *ranked, Random *random) {
    uint32_t start = random_below(random, ranked->count), size = 2 + random_below(random, GROUP_MOST - 1);
    uint32_t stride = 1 + random_below(random, 8);
    MoveSet set = {0};

    for (uint32_t i = start; i < ranked->count && set.sources.count < size; i += stride) {
        uint32_t source = ranked->items[i].source;

        if (search->verdicts[source].fate != GOES)
            vec_push(arena, &set.sources, source);
    }
    return set;
}

// The groups that were tried since the last move that was kept: they would fail again.
typedef struct {
    Arena arena;
    IndexMap groups; // hash of the sources
} Failed;

static bool has_failed(Failed *failed, const U32Vec *sources) {
    uint64_t hash = sources->count;

    for (vec_each(const uint32_t, source, sources))
        hash = hash_combine(hash, *source);
    if (u64_map_get(&failed->groups, hash) != INDEX_NONE)
        return true;
    u64_map_put(&failed->arena, &failed->groups, hash, 0);
    return false;
}

static void forget_failed(Failed *failed) {
    arena_free(&failed->arena);
    failed->groups = (IndexMap){0};
}

static void try_groups(FleetSearch *search, const RankedVec *ranked) {
    uint32_t patience = patience_for(search);
    Failed failed = {0};
    Arena arena = {0};
    Random random;

    random_seed(&random, 1 + search->input->settled);
    while (ranked->count > 1 && patience && fleet_goes_on(search)) {
        MoveSet set = choose_group(search, &arena, ranked, &random);
        double gain;

        patience--;
        if (set.sources.count > 1 && !has_failed(&failed, &set.sources) && fleet_move(search, &set, &gain)) {
            patience = PATIENCE;
            forget_failed(&failed);
        }
        arena_free(&arena);
    }
    forget_failed(&failed);
}

// --- all

static void search_fleet(FleetSearch *search) {
    RankedVec ranked = rank_sources(search);

    claims_loosen_limits(search->solver);
    try_singles(search, &ranked);
    try_groups(search, &ranked);
    if (search->input->full_too)
        try_full(search);
    claims_settle_limits(search->solver);
    link_parts(search);
}

static void write_result(FleetSearch *search, Arena *arena, FleetResult *ret_result) {
    ret_result->parts = parts_write(search, arena);
    ret_result->waiting = fleet_waiting(search, arena);
}

void fleet_search(Arena *arena, const FleetInput *input, FleetResult *ret_result) {
    Arena work = {0};
    FleetSearch search = {.input = input};
    bool ready = fleet_start(&search, &work, true);

    *ret_result = (FleetResult){0};
    if (ready)
        search_fleet(&search);
    for (uint32_t i = 0; i < input->sources.count && !ready; i++)
        search.verdicts[i].fate = STAYS_UNTRIED;
    if (ready && search.solver->budget.end != BUDGET_CANCELLED)
        write_result(&search, arena, ret_result);
    ret_result->verdicts = arena_array(arena, FleetVerdict, input->sources.count);
    if (input->sources.count)
        memcpy(ret_result->verdicts, search.verdicts, input->sources.count * sizeof *ret_result->verdicts);
    ret_result->moves_tried = search.tried;
    ret_result->moves_kept = search.kept;
    ret_result->cut_short = !ready || !fleet_goes_on(&search);
    fleet_end(&search);
    arena_free(&work);
}
