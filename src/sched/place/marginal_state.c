// The state is made when first used, updated with each placement, and dropped when bins change in another way.
#include "sched/place/marginal_state.h"

// Weighs each resource by what all pods request of it. The number of pods has no weight, since it is rarely the limit.
static void find_weights(Solver *solver, Marginal *m) {
    const Dimensions *dimensions = &solver->classes.dimensions;

    for (uint32_t dim = 0; dim < dimensions->count; dim++) {
        double total = 0;

        for (vec_each(PodClass, class, &solver->classes.classes))
            total += (double)class->requests[dim] * class->count;
        if (total > 0 && dimensions->resources[dim] != NAME_EMPTY && dimensions->resources[dim] != NAME_PODS)
            m->weight[dim] = (float)((double)solver->quanta.unit[dim] / total);
    }
}

static Marginal *marginal_make(Solver *solver) {
    Arena arena = {0};
    Marginal *m = arena_new(&arena, Marginal);
    uint32_t dims = solver->quanta.dims;

    m->arena = arena;
    bin_index_init(&m->bin_index, solver, &m->arena);
    m->weight = arena_array(&m->arena, float, dims);
    m->need = arena_array(&m->arena, int32_t, dims);
    m->most = arena_array(&m->arena, int32_t, dims);
    m->had = arena_array(&m->arena, int32_t, dims);
    m->per_need = arena_array(&m->arena, float, dims);
    find_weights(solver, m);
    for (vec_each(PodClass, class, &solver->classes.classes))
        m->remaining += class->count - class->placed;
    return m;
}

Marginal *marginal_state(Solver *solver) {
    if (!solver->marginal)
        solver->marginal = marginal_make(solver);
    return solver->marginal;
}

void marginal_reserve(Solver *solver) {
    Marginal *m = solver->marginal;

    if (m->candidate_capacity > solver->bins.count)
        return;
    m->candidate_capacity = solver->bins.count * 2 + 64;
    m->candidates = arena_array(&m->arena, Candidate, m->candidate_capacity);
}

void marginal_note(Solver *solver, uint32_t bin, int32_t count) {
    if (!solver->marginal)
        return;
    solver->marginal->remaining -= (uint32_t)count;
    if (bin == INDEX_NONE)
        return;
    marginal_reserve(solver);
    bin_index_update(&solver->marginal->bin_index, bin);
}

void marginal_forget(Solver *solver, uint32_t bin) {
    if (solver->marginal)
        bin_index_remove(&solver->marginal->bin_index, bin);
}

void marginal_drop(Solver *solver) {
    Arena arena;

    if (!solver->marginal)
        return;
    arena = solver->marginal->arena; // it owns the struct itself
    solver->marginal = NULL;
    arena_free(&arena);
}

void marginal_renew(Solver *solver) {
    marginal_drop(solver);
    solver->marginal = marginal_make(solver);
}

double marginal_size(const Solver *solver, const PodClass *class) {
    double size = 0;

    for (uint32_t dim = 0; dim < solver->quanta.dims; dim++)
        size += (double)solver->marginal->weight[dim] * quanta_up(&solver->quanta, dim, class->requests[dim]);
    return size;
}
