// Chooses which floors are computed.
#include "sched/proof.h"

#include "sched/contents/column_floor.h"

#include <math.h>

// Small inputs, for which floors are computed with any effort: they are cheap then, and a floor from resources alone is
// far from the price of few nodes.
enum { FLOOR_PODS = 100, SMALL_FLOOR_STEPS = 8000000 };
// Work of the floor by columns.
enum { COLUMN_STEPS = 6000000, COLUMN_STEPS_BEST = 100000000 };
static const double NEAR_FLOOR = 0.99; // share of the price from which on a floor is good enough

// Per topology group: whether it is a spread that was settled, so that it counts only domains with nodes.
static bool *find_settled(Search *search, const Solution *final) {
    Solver *solver = search->solver;
    bool *settled = arena_array(solver->arena, bool, solver->topology.groups.count);

    for (uint32_t i = 0; i < solver->topology.groups.count; i++) {
        const TopologyGroup *group = &final->groups[i];

        settled[i] =
            group->supported && !bitset_eq(group->supported, search->initial.groups[i].supported, group->words);
    }
    return settled;
}

// The floor from whole contents of nodes. The solution is not changed. `deals` may be NULL.
static double find_small_floor(Search *search, const Solution *final, uint64_t steps, Deals *deals) {
    Solver *solver = search->solver;
    SmallFloorQuestion question = {.placed = final->placed,
                                   .settled = find_settled(search, final),
                                   .price = final->price,
                                   .steps = steps,
                                   .deals = deals};
    double floor;

    solution_start(solver, &search->initial);
    floor = small_floor(solver, &question);
    solution_resume(solver, final);
    return floor;
}

// The floor from a linear program over contents of nodes, with rules between nodes. The solution is not changed.
static double find_column_floor(Search *search, const Solution *final, uint64_t steps) {
    Solver *solver = search->solver;
    SmallFloorQuestion question = {
        .placed = final->placed, .settled = find_settled(search, final), .price = final->price, .steps = steps};
    double floor;

    solution_start(solver, &search->initial);
    floor = column_floor(solver, &question);
    solution_resume(solver, final);
    return floor;
}

// The floor from a linear program that knows which pods spreads bind to domains; 0: they bind none. The solution is not
// changed.
static double find_domain_floor(Search *search, const Solution *final) {
    Solver *solver = search->solver;
    PackPlaced placed = {final->placed, find_settled(search, final)};
    Arena arena = {0};
    LpPlan lp_plan;
    double floor;

    solution_start(solver, &search->initial);
    lp_plan_make(&lp_plan, &arena, solver, &placed);
    if (lp_plan.packing.has_shares)
        lp_plan_prove(&lp_plan, EFFORT_BEST);
    solution_resume(solver, final);
    floor = lp_plan.proof.value;
    arena_free(&arena);
    return floor;
}

// The floor from linear programs that know fewer rules, for where columns prove nothing more. `floor`: known.
static double without_columns(Search *search, const Solution *final, double floor) {
    Effort effort = search->solver->input->search.effort;
    bool few = search->solver->input->pending.count <= FLOOR_PODS;
    double domains = 0;

    if ((few || effort == EFFORT_BEST) && floor < final->price * NEAR_FLOOR)
        domains = find_domain_floor(search, final);
    floor = fmax(floor, domains);
    if (effort != EFFORT_BEST && (domains > 0 || floor >= final->price * NEAR_FLOOR))
        return floor;
    if (few && effort != EFFORT_BEST)
        lp_plan_prove_briefly(search->lp_plan);
    else
        lp_plan_prove(search->lp_plan, effort);
    return fmax(floor, lp_plan_floor(search->lp_plan, search->solver));
}

// Better proofs are tried while the floor is not near the price.
double proof_floor(Search *search) {
    const PlanInput *input = search->solver->input;
    int64_t started = search_now(search);
    Effort effort = input->search.effort;
    bool few = input->pending.count <= FLOOR_PODS;
    Solution final;
    double floor, before;

    if (effort == EFFORT_FAST || input->search.skip_floor)
        return NAN;
    budget_begin_proof(&search->solver->budget);
    solution_keep(search->solver, &final);
    floor = lp_plan_floor(search->lp_plan, search->solver);
    floor = fmax(floor, search->early_floor);
    if (few && !search->early_floor && floor < final.price * NEAR_FLOOR)
        floor = fmax(floor, find_small_floor(search, &final, SMALL_FLOOR_STEPS, NULL));
    before = floor;
    if (floor < final.price * NEAR_FLOOR)
        floor =
            fmax(floor, find_column_floor(search, &final, effort == EFFORT_BEST ? COLUMN_STEPS_BEST : COLUMN_STEPS));
    if (effort == EFFORT_BEST || (floor <= before && floor < final.price * NEAR_FLOOR))
        floor = fmax(floor, without_columns(search, &final, floor));
    search->timings.floor += search_now(search) - started;
    return floor;
}

// --- before the end

static bool leaves_none_out(const Search *search) {
    const PodClassVec *classes = &search->solver->classes.classes;

    for (uint32_t i = 0; i < classes->count; i++) {
        if (search->best.placed[i] < classes->items[i].count)
            return false;
    }
    return true;
}

// Whether some spread was settled: other solutions could settle on other domains, so the floor would not hold for them.
static bool settles_spreads(Search *search) {
    const bool *settled = find_settled(search, &search->best);

    for (uint32_t i = 0; i < search->solver->topology.groups.count; i++) {
        if (settled[i])
            return true;
    }
    return false;
}

void proof_begin(Search *search) {
    const PlanInput *input = search->solver->input;
    double floor;

    if (search->has_early_floor || input->search.skip_floor || input->pending.count > FLOOR_PODS)
        return;
    search->has_early_floor = true;
    floor = find_small_floor(search, &search->best, SMALL_FLOOR_STEPS, &search->deals);
    if (leaves_none_out(search) && !settles_spreads(search))
        search->early_floor = floor;
}

bool proof_is_cheapest(Search *search) {
    if (!search->best.arena || !leaves_none_out(search))
        return false;
    proof_begin(search);
    return search->best.price <= search->early_floor + 1e-9;
}
