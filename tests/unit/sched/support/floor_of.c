#include "sched/support/floor_of.h"

#include "harness/test.h"
#include "sched/prepare.h"

double floor_of_pending(World *world, FloorOf *method, bool settled) {
    const Plan *plan = world_plan(world);
    Arena arena = {0};
    Solver solver;
    SmallFloorQuestion question = {.price = plan->price_per_hour, .steps = 8000000};
    uint32_t *placed;
    bool *has_settled;
    double floor;

    assert_int_equal(plan->unplaced.count, 0);
    solver_init(&solver, &arena, world_input(world));
    placed = arena_array(&arena, uint32_t, solver.classes.classes.count);
    for (uint32_t i = 0; i < solver.classes.classes.count; i++)
        placed[i] = solver.classes.classes.items[i].count;
    has_settled = arena_array(&arena, bool, solver.topology.groups.count);
    for (uint32_t i = 0; i < solver.topology.groups.count; i++)
        has_settled[i] = settled;
    question.placed = placed;
    question.settled = has_settled;
    floor = method(&solver, &question);
    assert_true(floor <= plan->price_per_hour);
    arena_free(&arena);
    return floor;
}
