// Puts pods where they run.
#include "sched/fleet/bound.h"

#include "sched/input/class_variants.h"
#include "sched/place/marginal.h"
#include "sched/place/marginal_state.h"

// --- bins of sources

static uint32_t *bins_of_nodes(FleetSearch *search) {
    const PlanInput *plan = search->solver->input;
    uint32_t *bins = arena_array(search->arena, uint32_t, plan->nodes.count);

    memset(bins, 0xff, plan->nodes.count * sizeof *bins);
    for (uint32_t i = 0; i < search->solver->node_count; i++)
        bins[search->solver->bins.items[i].node - plan->nodes.items] = i;
    return bins;
}

static void find_sources(FleetSearch *search) {
    const FleetSourceVec *sources = &search->input->sources;

    search->bin_of_node = bins_of_nodes(search);
    search->bin_of_source = arena_array(search->arena, uint32_t, sources->count);
    search->source_of_bin = arena_array(search->arena, uint32_t, search->solver->node_count + 1);
    memset(search->source_of_bin, 0xff, (search->solver->node_count + 1) * sizeof *search->source_of_bin);
    for (uint32_t i = 0; i < sources->count; i++) {
        search->bin_of_source[i] = search->bin_of_node[sources->items[i].node];
        search->source_of_bin[search->bin_of_source[i]] = i;
    }
}

// --- pods of sources

// The first variant whose labels the node has: what a pod prefers may have changed since it was bound.
static uint32_t variant_on(FleetSearch *search, const PodClass *class, const Bin *bin) {
    for (uint32_t i = 0; i < class->variants.count; i++) {
        if (label_state_step(&search->solver->states, bin->state, class->variants.items[i].labels) != LABEL_STATE_NONE)
            return i;
    }
    return 0;
}

static void bind_pods(FleetSearch *search, uint32_t number, uint32_t source, uint32_t count) {
    Solver *solver = search->solver;
    Bin *bin = &solver->bins.items[search->bin_of_source[source]];
    Placement placement = {.state = bin->state, .count = count};

    bin_commit(solver, bin, number, variant_on(search, &solver->classes.classes.items[number], bin), &placement);
}

// `counts`: per source, all 0 before and after.
static void bind_class(FleetSearch *search, uint32_t number, uint32_t *counts) {
    const ClassTable *table = &search->solver->classes;
    const PodClass *class = &table->classes.items[number];
    const uint32_t *pods = table->pods + class->first;

    for (uint32_t i = 0; i < class->count; i++) {
        if (search->input->homes[pods[i]] != INDEX_NONE)
            counts[search->input->homes[pods[i]]]++;
    }
    for (uint32_t i = 0; i < class->count; i++) {
        uint32_t home = search->input->homes[pods[i]];

        if (home == INDEX_NONE || !counts[home])
            continue;
        bind_pods(search, number, home, counts[home]);
        counts[home] = 0;
    }
}

// --- pods that wait

// They go into free room alone: nodes that they need beside are for the provisioner to make.
static void place_waiting(FleetSearch *search, uint32_t number) {
    static const MoveRules free_room = {INDEX_NONE, LABEL_STATE_NONE, INT32_MIN, 0};
    Solver *solver = search->solver;
    const PodClass *class = &solver->classes.classes.items[number];

    for (uint32_t i = 0; i < class->variants.count && class->placed < class->count && fleet_goes_on(search);
         i += variant_alternatives(class, i).count)
        (void)marginal_move(solver, number, i, class->count - class->placed, &free_room);
}

static uint32_t pods_on(const Bin *bin) {
    return bin->pod_count;
}

static void mark_occupied(FleetSearch *search, const uint32_t *before) {
    for (uint32_t i = 0; i < search->input->sources.count; i++) {
        if (pods_on(&search->solver->bins.items[search->bin_of_source[i]]) != before[i])
            search->verdicts[i].fate = STAYS_OCCUPIED;
    }
}

static void place_all_waiting(FleetSearch *search) {
    const PodClassVec *classes = &search->solver->classes.classes;
    uint32_t *before = arena_array(search->arena, uint32_t, search->input->sources.count);

    for (uint32_t i = 0; i < search->input->sources.count; i++)
        before[i] = pods_on(&search->solver->bins.items[search->bin_of_source[i]]);
    change_begin(&search->change, search->solver);
    for (uint32_t i = 0; i < classes->count; i++) {
        if (classes->items[i].placed < classes->items[i].count)
            place_waiting(search, i);
        search->stranded += classes->items[i].count - classes->items[i].placed;
    }
    for (vec_each(const Move, move, &search->change.moves))
        vec_push(search->arena, &search->expected,
                 (Delivered){move->bin, move->class, (uint32_t)move->count, INDEX_NONE});
    change_keep(&search->change);
    mark_occupied(search, before);
}

// --- all

// Nodes that take no pods leave the index.
static void close_nodes(FleetSearch *search) {
    Solver *solver = search->solver;

    for (uint32_t i = 0; i < solver->node_count && search->input->closed; i++) {
        Bin *bin = &solver->bins.items[i];

        bin->gone = search->input->closed[bin->node - solver->input->nodes.items];
    }
}

void fleet_renew_index(FleetSearch *search) {
    marginal_renew(search->solver);
    for (uint32_t i = search->solver->node_count; i < search->sealed; i++)
        marginal_forget(search->solver, i);
    search->solver->marginal->remaining -= search->stranded;
}

void fleet_bind(FleetSearch *search) {
    uint32_t *counts;

    find_sources(search);
    counts = arena_array(search->arena, uint32_t, search->input->sources.count);
    for (uint32_t i = 0; i < search->solver->classes.classes.count; i++)
        bind_class(search, i, counts);
    marginal_renew(search->solver);
    place_all_waiting(search);
    close_nodes(search);
    fleet_renew_index(search);
}

FleetDeliveryVec fleet_waiting(const FleetSearch *search, Arena *arena) {
    const ClassTable *table = &search->solver->classes;
    FleetDeliveryVec waiting = {0};
    Arena scratch = {0};
    uint32_t *cursors = arena_array(&scratch, uint32_t, table->classes.count);

    for (vec_each(const Delivered, delivered, &search->expected)) {
        const Bin *bin = &search->solver->bins.items[delivered->bin];
        FleetDelivery delivery = {.node = (uint32_t)(bin->node - search->solver->input->nodes.items)};
        const PodClass *class = &table->classes.items[delivered->class];
        uint32_t *cursor = &cursors[delivered->class];

        for (; delivery.pods.count < delivered->count && *cursor < class->count; ++*cursor) {
            uint32_t pod = table->pods[class->first + *cursor];

            if (search->input->homes[pod] == INDEX_NONE)
                vec_push(arena, &delivery.pods, pod);
        }
        vec_push(arena, &waiting, delivery);
    }
    arena_free(&scratch);
    return waiting;
}
