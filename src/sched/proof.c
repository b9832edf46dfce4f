// Chooses which floors are computed.
#include "sched/proof.h"

#include "sched/contents/small_floor.h"

#include <math.h>

// Small inputs, for which floors are computed with any effort: they are cheap then, and a floor from resources alone is
// far from the price of few nodes.
enum { FLOOR_PODS = 100, SMALL_FLOOR_STEPS = 8000000 };
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

// Better proofs are tried while the floor is not near the price.
double proof_floor(Search *search) {
    const PlanInput *input = search->solver->input;
    int64_t started = search_now(search);
    Effort effort = input->search.effort;
    bool few = input->pending.count <= FLOOR_PODS;
    Solution final;
    double floor;

    if (effort == EFFORT_FAST || input->search.skip_floor)
        return NAN;
    budget_begin_proof(&search->solver->budget);
    solution_keep(search->solver, &final);
    floor = lp_plan_floor(search->lp_plan, search->solver);
    floor = fmax(floor, search->early_floor);
    if (few && !search->early_floor && floor < final.price * NEAR_FLOOR)
        floor = fmax(floor, find_small_floor(search, &final, SMALL_FLOOR_STEPS, NULL));
    if (effort == EFFORT_BEST || floor < final.price * NEAR_FLOOR) {
        lp_plan_prove(search->lp_plan, few ? EFFORT_BEST : effort);
        floor = fmax(floor, lp_plan_floor(search->lp_plan, search->solver));
    }
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
