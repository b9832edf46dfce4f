// Saves, starts and resumes solutions.
#include "sched/solution.h"

#include "sched/bin/blast_radius.h"
#include "sched/bin/claim_price.h"
#include "sched/bin/pod_rate.h"
#include "sched/place/failures.h"
#include "sched/place/marginal.h"
#include "sched/place/marginal_state.h"

static double claims_price(Solver *solver) {
    double price = 0;

    for (uint32_t i = solver->node_count; i < solver->bins.count; i++) {
        const Bin *bin = &solver->bins.items[i];

        if (!bin->gone)
            price += claim_price(solver, bin, bin->rows, NULL, NULL) + blast_radius_cost(solver, bin);
    }
    for (vec_each(const Bin, bin, &solver->bins))
        price += bin->gone ? 0 : bin_forgone(solver, bin);
    return price;
}

void solution_keep(Solver *solver, Solution *ret_solution) {
    const ClassTable *classes = &solver->classes;
    uint32_t groups = solver->topology.groups.count;
    Solution solution = {.arena = solver->placing,
                         .bins = solver->bins,
                         .domains_settled = solver->domains_settled,
                         .price = claims_price(solver)};

    solution.groups = arena_copy(solver->placing, solver->topology.groups.items, groups * sizeof *solution.groups);
    solution.totals = arena_array(solver->placing, int64_t, groups);
    for (uint32_t i = 0; i < groups; i++)
        solution.totals[i] = *solution.groups[i].total;
    solution.placed = arena_array(solver->placing, uint32_t, classes->classes.count);
    for (uint32_t i = 0; i < classes->classes.count; i++) {
        solution.placed[i] = classes->classes.items[i].placed;
        solution.placed_count += solution.placed[i];
    }
    solution.pools = arena_copy(solver->placing, solver->pools.items, solver->pools.count * sizeof *solution.pools);
    solution.reservations = arena_copy(solver->placing, solver->reservations.items,
                                       solver->reservations.count * sizeof *solution.reservations);
    *ret_solution = solution;
}

// memcpy that accepts NULL with size 0.
static void copy_back(void *to, const void *from, size_t size) {
    if (size)
        memcpy(to, from, size);
}

void solution_resume(Solver *solver, const Solution *solution) {
    solver->placing = solution->arena;
    solver->bins = solution->bins;
    copy_back(solver->topology.groups.items, solution->groups,
              solver->topology.groups.count * sizeof *solution->groups);
    for (uint32_t i = 0; i < solver->topology.groups.count; i++)
        *solution->groups[i].total = solution->totals[i];
    for (uint32_t i = 0; i < solver->classes.classes.count; i++)
        solver->classes.classes.items[i].placed = solution->placed[i];
    copy_back(solver->pools.items, solution->pools, solver->pools.count * sizeof *solution->pools);
    copy_back(solver->reservations.items, solution->reservations,
              solver->reservations.count * sizeof *solution->reservations);
    solver->domains_settled = solution->domains_settled;
    marginal_drop(solver);
    solver->emptiest = (U32Vec){0};
    solver_forget_failures(solver);
}

// The same elements in the arena.
#define vec_own(arena, vec)                                                                                            \
    ((vec)->capacity = (vec)->count,                                                                                   \
     (vec)->items = (vec)->count ? arena_copy((arena), (vec)->items, (vec)->count * sizeof *(vec)->items) : NULL)

static int64_t *own_amounts(const Solver *solver, const int64_t *amounts) {
    return amounts ? arena_copy(solver->placing, amounts, solver->classes.dimensions.count * sizeof *amounts) : NULL;
}

// Copies the parts of a bin that placing changes or makes.
static void own_bin(Solver *solver, Bin *bin) {
    bin->free = own_amounts(solver, bin->free);
    bin->used = own_amounts(solver, bin->used);
    bin->charge = own_amounts(solver, bin->charge);
    bin->ports = port_set_copy(solver->placing, bin->ports);
    vec_own(solver->placing, &bin->claims);
    vec_own(solver->placing, &bin->pods);
    vec_own(solver->placing, &bin->undecided);
    if (bin->rows)
        bin->rows = arena_copy(solver->placing, bin->rows, bin->pool->table->words * sizeof *bin->rows);
    if (bin->min_values)
        bin->min_values =
            arena_copy(solver->placing, bin->min_values, bin->pool->min_values.count * sizeof *bin->min_values);
}

static void own_group(Solver *solver, TopologyGroup *group) {
    if (topology_is_fixed(group))
        return;
    if (group->key != INDEX_NONE) {
        uint32_t atoms = solver->universe.keys.items[group->key].atoms;

        group->least = arena_copy(solver->placing, group->least, atoms * sizeof *group->least);
        group->most = arena_copy(solver->placing, group->most, atoms * sizeof *group->most);
        group->supported = arena_copy(solver->placing, group->supported, group->words * sizeof *group->supported);
    }
    if (group->bin_capacity)
        group->on_bin = arena_copy(solver->placing, group->on_bin, group->bin_capacity * sizeof *group->on_bin);
}

void solution_drop(Solution *solution) {
    if (solution->arena)
        arena_free(solution->arena);
    *solution = (Solution){0};
}

void solutions_free(Solver *solver) {
    marginal_drop(solver);
    for (vec_each(Arena *, placing, &solver->placings))
        arena_free(*placing);
}

void solution_start(Solver *solver, const Solution *initial) {
    solution_resume(solver, initial);
    solver->placing = arena_new(solver->arena, Arena);
    vec_push(solver->arena, &solver->placings, solver->placing);
    solver->bins.items = arena_copy(solver->placing, initial->bins.items, initial->bins.count * sizeof(Bin));
    solver->bins.capacity = initial->bins.count;
    for (vec_each(Bin, bin, &solver->bins))
        own_bin(solver, bin);
    for (vec_each(TopologyGroup, group, &solver->topology.groups))
        own_group(solver, group);
    for (vec_each(Pool, pool, &solver->pools))
        pool->left = arena_copy(solver->placing, pool->left, solver->classes.dimensions.count * sizeof *pool->left);
}
