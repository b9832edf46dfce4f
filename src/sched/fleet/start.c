// Prepares a search.
#include "sched/fleet/start.h"

#include "sched/fleet/bound.h"
#include "sched/fleet/link.h"
#include "sched/fleet/move.h"
#include "sched/fleet/parts.h"
#include "sched/fleet/worth.h"
#include "sched/prepare.h"

bool fleet_start(FleetSearch *search, Arena *arena, bool with_worth) {
    const FleetInput *input = search->input;

    search->arena = arena;
    search->solver = arena_new(arena, Solver);
    search->verdicts = arena_array(arena, FleetVerdict, input->sources.count);
    if (!solver_init(search->solver, arena, &input->plan))
        return false;
    if (with_worth)
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

void fleet_end(FleetSearch *search) {
    solutions_free(search->solver);
    change_free(&search->change);
    arena_free(&search->trial);
}
