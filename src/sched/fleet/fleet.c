// The search: single sources first, the most wasteful first; then groups.
#include "sched/fleet/bound.h"
#include "sched/fleet/link.h"
#include "sched/fleet/move.h"
#include "sched/fleet/parts.h"
#include "sched/fleet/worth.h"

#include "sched/bin/limits.h"
#include "sched/prepare.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    uint32_t source;
    double worth; // of its pods, as a share of its price
} Ranked;
typedef Vec(Ranked) RankedVec;

static int compare_ranked(const void *a, const void *b) {
    const Ranked *x = a, *y = b;

    if (x->worth != y->worth)
        return x->worth < y->worth ? -1 : 1;
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

// --- groups

// Groups of this size at most, and failures in a row after which no more are tried.
enum { GROUP_MOST = 5, PATIENCE = 1000 };

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

static void try_groups(FleetSearch *search, const RankedVec *ranked) {
    uint32_t patience = PATIENCE;
    Arena arena = {0};
    Random random;

    random_seed(&random, 1);
    while (ranked->count > 1 && patience && fleet_goes_on(search)) {
        MoveSet set = choose_group(search, &arena, ranked, &random);
        double gain;

        patience--;
        if (set.sources.count > 1 && fleet_move(search, &set, &gain))
            patience = PATIENCE;
        arena_free(&arena);
    }
    arena_free(&arena);
}

// --- all

// Prepares the solver. False: out of time.
static bool prepare(FleetSearch *search, Arena *arena) {
    const FleetInput *input = search->input;

    search->arena = arena;
    search->solver = arena_new(arena, Solver);
    search->verdicts = arena_array(arena, FleetVerdict, input->sources.count);
    if (!solver_init(search->solver, arena, &input->plan))
        return false;
    fleet_find_worth(search);
    solution_keep(search->solver, &search->initial);
    solution_start(search->solver, &search->initial);
    search->left = arena_array(arena, uint32_t, input->budgets.count);
    memcpy(search->left, input->budgets.items, input->budgets.count * sizeof *search->left);
    fleet_bind(search);
    fleet_order_classes(search);
    parts_init(search);
    link_init(search);
    return true;
}

static void search_fleet(FleetSearch *search) {
    RankedVec ranked = rank_sources(search);

    claims_loosen_limits(search->solver);
    try_singles(search, &ranked);
    try_groups(search, &ranked);
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
    bool ready = prepare(&search, &work);

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
    solutions_free(search.solver);
    change_free(&search.change);
    arena_free(&search.trial);
    arena_free(&work);
}
