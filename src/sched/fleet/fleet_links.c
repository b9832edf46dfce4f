#include "sched/fleet/fleet_links.h"

#include "base/numbers.h"
#include "sched/plan_write.h"

#include <stdlib.h>

void fleet_links_init(FleetLinks *links, Solver *solver, Arena *arena) {
    *links = (FleetLinks){.solver = solver, .arena = arena};
}

// --- sets of bins

static uint32_t find(FleetLinks *links, uint32_t bin) {
    for (uint32_t next = links->parent.count; next <= bin; next++)
        vec_push(links->arena, &links->parent, next);
    while (links->parent.items[bin] != bin) {
        links->parent.items[bin] = links->parent.items[links->parent.items[bin]];
        bin = links->parent.items[bin];
    }
    return bin;
}

static void join(FleetLinks *links, uint32_t a, uint32_t b) {
    a = find(links, a);
    b = find(links, b);
    links->parent.items[a > b ? a : b] = a < b ? a : b;
}

void fleet_links_remove(FleetLinks *links, uint32_t bin) {
    vec_push(links->arena, &links->removed, bin);
}

// --- changes

static bool is_removed(const FleetLinks *links, uint32_t bin) {
    return u32_vec_has(&links->removed, bin);
}

void fleet_links_add(FleetLinks *links, const Change *change) {
    uint32_t first = INDEX_NONE;

    for (vec_each(const Move, move, &change->moves)) {
        bool stays = !links->solver->bins.items[move->bin].pool && !is_removed(links, move->bin);

        if (stays)
            continue;
        if (first == INDEX_NONE)
            first = move->bin;
        join(links, first, move->bin);
    }
    for (vec_each(const Move, move, &change->moves)) {
        if (first != INDEX_NONE && move->count > 0 && !links->solver->bins.items[move->bin].pool &&
            !is_removed(links, move->bin))
            vec_push(links->arena, &links->landings, (Landing){move->bin, first});
    }
}

// --- moves

static FleetMove *move_of(FleetLinks *links, Fleet *fleet, Arena *arena, uint32_t bin, U32Vec *roots) {
    uint32_t root = find(links, bin);

    for (uint32_t i = 0; i < roots->count; i++) {
        if (roots->items[i] == root)
            return &fleet->moves.items[i];
    }
    vec_push(links->arena, roots, root);
    vec_push(arena, &fleet->moves, (FleetMove){0});
    return vec_last(&fleet->moves);
}

static const FleetSource *source_of(const FleetInput *input, const NodeView *view) {
    uint32_t node = (uint32_t)(view - input->input->nodes.items);

    for (vec_each(const FleetSource, source, &input->sources)) {
        if (source->node == node)
            return source;
    }
    return NULL;
}

static uint32_t pods_at_home(const FleetInput *input, uint32_t node) {
    uint32_t count = 0;

    for (vec_each(const PendingPod, pending, &input->input->pending))
        count += pending->home == node + 1;
    return count;
}

static void write_nodes(FleetLinks *links, const FleetInput *input, Fleet *fleet, U32Vec *roots) {
    Arena *arena = links->solver->result;

    for (vec_each(const uint32_t, bin, &links->removed)) {
        const FleetSource *source = source_of(input, links->solver->bins.items[*bin].node);
        FleetMove *move = move_of(links, fleet, arena, *bin, roots);

        vec_push(arena, &move->nodes, source->node);
        move->pods += pods_at_home(input, source->node);
        move->price_per_hour += source->price_per_hour;
        move->saving_per_hour += source->price_per_hour;
    }
}

// Pods without a place need no explanation here.
static void forget_waiting(Solver *solver) {
    for (vec_each(PodClass, class, &solver->classes.classes))
        class->count = class->placed;
}

static void write_claims(FleetLinks *links, Fleet *fleet, U32Vec *roots) {
    Solver *solver = links->solver;
    uint32_t at = 0;
    Plan plan;

    forget_waiting(solver);
    solver_write_plan(solver, &plan);
    for (uint32_t bin = solver->node_count; bin < solver->bins.count; bin++) {
        FleetMove *move;

        if (solver->bins.items[bin].gone)
            continue;
        move = move_of(links, fleet, solver->result, bin, roots);
        vec_push(solver->result, &move->claims, plan.claims.items[at]);
        move->saving_per_hour -= plan.claims.items[at++].offering->price_per_hour;
    }
}

static void write_destinations(FleetLinks *links, const FleetInput *input, Fleet *fleet, U32Vec *roots) {
    const Solver *solver = links->solver;

    for (vec_each(const Landing, landing, &links->landings)) {
        const Bin *bin = &solver->bins.items[landing->node];
        uint32_t node = (uint32_t)(bin->node - input->input->nodes.items);
        FleetMove *move = move_of(links, fleet, solver->result, landing->by, roots);

        if (!is_removed(links, bin->number) && !u32_vec_has(&move->destinations, node))
            vec_push(solver->result, &move->destinations, node);
    }
}

static int compare_moves(const void *a, const void *b) {
    const FleetMove *x = a, *y = b;

    if (x->saving_per_hour != y->saving_per_hour)
        return x->saving_per_hour > y->saving_per_hour ? -1 : 1;
    return x->nodes.count && y->nodes.count ? u32_compare(x->nodes.items, y->nodes.items) : 0;
}

void fleet_links_write(FleetLinks *links, const FleetInput *input, Fleet *fleet) {
    U32Vec roots = {0};

    write_nodes(links, input, fleet, &roots);
    write_claims(links, fleet, &roots);
    write_destinations(links, input, fleet, &roots);
    if (fleet->moves.count)
        qsort(fleet->moves.items, fleet->moves.count, sizeof *fleet->moves.items, compare_moves);
}
