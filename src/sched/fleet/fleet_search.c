// The fleet search: preparation, trials, and what became of them.
#include "sched/fleet/fleet_search.h"

#include "sched/bin/limits.h"
#include "sched/fleet/fleet_links.h"
#include "sched/input/class_variants.h"
#include "sched/place/commit.h"
#include "sched/place/displaced.h"
#include "sched/place/marginal.h"
#include "sched/place/marginal_state.h"
#include "sched/plan_write.h"
#include "sched/prepare.h"
#include "sched/solution.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    const FleetInput *input;
    Solver *solver;
    Arena *arena; // of the search
    Arena trial;
    Change change;
    Displacing displacing;
    uint32_t *bins; // per source: its bin; INDEX_NONE: it has none, or is gone
    uint32_t *left; // per group
    uint32_t pods_dimension;
    FleetLinks links;
    Random random;
    Fleet *fleet;
} FleetSearch;

// --- the first solution

// Bins of nodes are in the order of the input, without those that are being deleted.
static uint32_t *bins_of_nodes(const FleetSearch *search) {
    const PlanInput *input = search->input->input;
    uint32_t *bins = arena_array(search->arena, uint32_t, input->nodes.count), bin = 0;

    for (uint32_t i = 0; i < input->nodes.count; i++)
        bins[i] = input->nodes.items[i].deleting ? INDEX_NONE : bin++;
    return bins;
}

// Puts the pods of a class where they are now, without asking: what a cluster has is not questioned.
static void seat_class(FleetSearch *search, uint32_t number, const uint32_t *bins) {
    Solver *solver = search->solver;
    const PodClass *class = &solver->classes.classes.items[number];
    uint32_t variant = (uint32_t)(class_last_variant(class) - class->variants.items);
    uint32_t *counts = arena_array(&search->trial, uint32_t, solver->bins.count);

    for (uint32_t i = 0; i < class->count; i++) {
        uint32_t home = search->input->input->pending.items[solver->classes.pods[class->first + i]].home;

        if (home && bins[home - 1] != INDEX_NONE)
            counts[bins[home - 1]]++;
    }
    for (uint32_t bin = 0; bin < solver->node_count; bin++) {
        const Placement placement = {.state = solver->bins.items[bin].state, .count = counts[bin]};

        if (counts[bin])
            solver_commit(solver, bin, number, variant, &placement);
    }
    arena_free(&search->trial);
    search->trial = (Arena){0};
}

// Pods that wait take the room that is there; those that need new nodes are somebody else's.
static void seat_waiting(FleetSearch *search) {
    const MoveRules free_room = {INDEX_NONE, LABEL_STATE_NONE, INT32_MIN, 0};
    Solver *solver = search->solver;

    for (uint32_t number = 0; number < solver->classes.classes.count; number++) {
        const PodClass *class = &solver->classes.classes.items[number];
        bool has_left = true;

        for (uint32_t variant = 0; variant < class->variants.count && class->placed < class->count; variant++) {
            while (has_left && class->placed < class->count)
                has_left = marginal_move(solver, number, variant, class->count - class->placed, &free_room) > 0;
            has_left = true;
        }
    }
}

// --- trials

static void close_node(FleetSearch *search, uint32_t bin) {
    change_save(&search->change, bin);
    search->solver->bins.items[bin].free[search->pods_dimension] = 0;
    marginal_note(search->solver, bin, 0);
}

// What the nodes cost now, and what the move must save.
typedef struct {
    double price, least_saving;
} Stake;

static Stake stake_of(const FleetSearch *search, const U32Vec *sources) {
    Stake stake = {0};

    for (vec_each(const uint32_t, at, sources)) {
        stake.price += search->input->sources.items[*at].price_per_hour;
        stake.least_saving += search->input->sources.items[*at].least_saving;
    }
    return stake;
}

static void keep(FleetSearch *search, const U32Vec *sources) {
    change_keep(&search->change);
    search->fleet->kept++;
    for (vec_each(const uint32_t, at, sources)) {
        const FleetSource *source = &search->input->sources.items[*at];

        fleet_links_remove(&search->links, search->bins[*at]);
        search->bins[*at] = INDEX_NONE;
        search->left[source->group]--;
    }
    fleet_links_add(&search->links, &search->change);
}

// Takes the nodes, and some claims of earlier moves, out, and places their pods anew. Returns whether that was kept.
static bool try_without(FleetSearch *search, const U32Vec *sources, const U32Vec *claims) {
    Stake stake = stake_of(search, sources);
    uint32_t waiting = marginal_state(search->solver)->remaining;
    Displacing *displacing = &search->displacing;
    bool saves;

    arena_free(&search->trial);
    search->trial = (Arena){0};
    displacing->pods = (DisplacedVec){0};
    displacing->arena = &search->trial;
    search->fleet->trials++;
    change_begin(&search->change, search->solver);
    for (vec_each(const uint32_t, at, sources)) {
        displaced_take(displacing, &search->change, search->bins[*at]);
        close_node(search, search->bins[*at]);
    }
    for (vec_each(const uint32_t, bin, claims))
        displaced_take(displacing, &search->change, *bin);
    displaced_place(displacing, &search->change, stake.price - stake.least_saving);
    saves = marginal_state(search->solver)->remaining == waiting && change_holds(&search->change) &&
            change_cost(&search->change) < stake.price - stake.least_saving - 1e-9;
    if (saves)
        keep(search, sources);
    else
        change_undo(&search->change);
    return saves;
}

static bool may_go(const FleetSearch *search, uint32_t source) {
    return search->bins[source] != INDEX_NONE && search->left[search->input->sources.items[source].group] > 0;
}

static bool goes_on(FleetSearch *search) {
    return budget_spend(&search->solver->budget, 500) && !budget_is_over(&search->solver->budget);
}

// Each node by itself, as often as nodes are found.
static void try_singles(FleetSearch *search) {
    const U32Vec none = {0};
    bool any = true;

    while (any) {
        any = false;
        for (uint32_t i = 0; i < search->input->sources.count && goes_on(search); i++) {
            U32Vec one = {.items = &i, .count = 1};

            any |= may_go(search, i) && try_without(search, &one, &none);
        }
    }
}

// --- groups

enum { GROUP_MOST = 6, CLAIMS_MOST = 4, PATIENCE_PER_SOURCE = 12, PATIENCE_LEAST = 200, PATIENCE_MOST = 20000 };

// A few sources near each other in the order, or anywhere, within the budgets.
static void choose_sources(FleetSearch *search, U32Vec *ret_sources) {
    uint32_t count = search->input->sources.count, size = 2 + random_below(&search->random, GROUP_MOST - 1);
    uint32_t first = random_below(&search->random, count);
    bool near = random_below(&search->random, 2);

    ret_sources->count = 0;
    for (uint32_t tries = 0; tries < 4 * size && ret_sources->count < size; tries++) {
        uint32_t at = near ? (first + tries) % count : random_below(&search->random, count);
        uint32_t of_group = 0;

        for (vec_each(const uint32_t, other, ret_sources))
            of_group += search->input->sources.items[*other].group == search->input->sources.items[at].group;
        if (may_go(search, at) && !u32_vec_has(ret_sources, at) &&
            of_group < search->left[search->input->sources.items[at].group])
            vec_push(search->arena, ret_sources, at);
    }
}

static void choose_claims(FleetSearch *search, U32Vec *ret_claims) {
    const Solver *solver = search->solver;
    uint32_t claims = solver->bins.count - solver->node_count, want;

    ret_claims->count = 0;
    if (!claims)
        return;
    want = random_below(&search->random, CLAIMS_MOST + 1);
    for (uint32_t i = 0; i < want; i++) {
        uint32_t bin = solver->node_count + random_below(&search->random, claims);

        if (!solver->bins.items[bin].gone && solver->bins.items[bin].pods.count && !solver->bins.items[bin].decided &&
            !u32_vec_has(ret_claims, bin))
            vec_push(search->arena, ret_claims, bin);
    }
}

static uint32_t patience(const FleetSearch *search) {
    uint32_t most = PATIENCE_PER_SOURCE * search->input->sources.count;

    return most < PATIENCE_LEAST ? PATIENCE_LEAST : most < PATIENCE_MOST ? most : PATIENCE_MOST;
}

static void try_groups(FleetSearch *search) {
    U32Vec sources = {0}, claims = {0};

    for (uint32_t left = patience(search); left && goes_on(search); left--) {
        choose_sources(search, &sources);
        choose_claims(search, &claims);
        if (sources.count + claims.count < 2)
            continue;
        if (try_without(search, &sources, &claims))
            left = patience(search);
    }
}

// --- the whole

static void prepare(FleetSearch *search) {
    const uint32_t *bins = bins_of_nodes(search);
    Solver *solver = search->solver;

    search->bins = arena_array(search->arena, uint32_t, search->input->sources.count);
    search->left = arena_copy(search->arena, search->input->left, sizeof *search->left * search->input->group_count);
    for (uint32_t i = 0; i < search->input->sources.count; i++)
        search->bins[i] = bins[search->input->sources.items[i].node];
    search->pods_dimension = dimension_of(&solver->classes.dimensions, NAME_PODS);
    for (uint32_t number = 0; number < solver->classes.classes.count; number++)
        seat_class(search, number, bins);
    marginal_renew(solver);
    seat_waiting(search);
    displacing_init(&search->displacing, solver, search->arena);
    fleet_links_init(&search->links, solver, search->arena);
    random_seed(&search->random, 1);
}

static void run(FleetSearch *search) {
    prepare(search);
    claims_loosen_limits(search->solver);
    budget_begin_search(&search->solver->budget);
    try_singles(search);
    if (search->input->sources.count > 1)
        try_groups(search);
    claims_settle_limits(search->solver);
    search->fleet->cut_short = budget_is_over(&search->solver->budget);
}

void fleet_search(Arena *arena, const FleetInput *input, Fleet *ret_fleet) {
    Arena work = {0};
    Solver *solver = arena_new(&work, Solver);
    FleetSearch search = {.input = input, .solver = solver, .arena = &work, .fleet = ret_fleet};
    Solution first;

    *ret_fleet = (Fleet){0};
    solver->input = input->input;
    if (input->sources.count && solver_init(solver, &work, input->input)) {
        solution_keep(solver, &first);
        solution_start(solver, &first);
        run(&search);
        solver->result = arena;
        fleet_links_write(&search.links, input, ret_fleet);
    }
    change_free(&search.change);
    arena_free(&search.trial);
    solutions_free(solver);
    arena_free(&work);
}
