// Keeping bins on shelves and in racks.
#include "sched/racks.h"

#include "sched/lanes.h"
#include "sched/solver.h"

// --- lanes

static void rack_grow(Racks *racks, Rack *rack) {
    uint32_t dims = racks->solver->quanta.dims, capacity = rack->capacity ? rack->capacity * 2 : 8;
    uint32_t *bins = arena_array(racks->arena, uint32_t, capacity);
    int32_t *load = arena_array(racks->arena, int32_t, (size_t)capacity * dims);

    for (uint32_t dim = 0; dim < dims && rack->count; dim++)
        memcpy(load + (size_t)dim * capacity, rack->load + (size_t)dim * rack->capacity, rack->count * sizeof *load);
    if (rack->count)
        memcpy(bins, rack->bins, rack->count * sizeof *bins);
    if (!rack->least)
        rack->least = arena_array(racks->arena, int32_t, dims);
    rack->bins = bins;
    rack->load = load;
    rack->capacity = capacity;
}

// What a bin carries, in quanta, rounded against it.
static int32_t bin_load(const Quanta *quanta, const Bin *bin, uint32_t dim) {
    int64_t free;

    if (bin->pool)
        return quanta_up(quanta, dim, bin->used[dim]);
    if (bin->free[dim] < 0)
        return INT32_MAX / 2;
    free = bin->free[dim] / quanta->unit[dim];
    return -(int32_t)(free > INT32_MAX / 4 ? INT32_MAX / 4 : free);
}

static void lane_fill(Racks *racks, Rack *rack, uint32_t lane, const Bin *bin) {
    const Quanta *quanta = &racks->solver->quanta;

    rack->bins[lane] = bin->number;
    for (uint32_t dim = 0; dim < quanta->dims; dim++) {
        int32_t load = bin_load(quanta, bin, dim);

        rack->load[(size_t)dim * rack->capacity + lane] = load;
        if (load < rack->least[dim])
            rack->least[dim] = load;
    }
}

static void lane_remove(Racks *racks, RackPlace *place) {
    Shelf *shelf = racks->shelves.items[place->shelf];
    Rack *rack = &shelf->racks[place->rack];
    uint32_t last = --rack->count;

    shelf->bin_count--;
    if (place->lane != last) {
        rack->bins[place->lane] = rack->bins[last];
        for (uint32_t dim = 0; dim < racks->solver->quanta.dims; dim++)
            rack->load[(size_t)dim * rack->capacity + place->lane] = rack->load[(size_t)dim * rack->capacity + last];
        racks->places.items[rack->bins[last]].lane = place->lane;
    }
    place->shelf = INDEX_NONE;
}

static void lane_add(Racks *racks, uint32_t shelf_number, uint32_t rack_number, const Bin *bin) {
    Shelf *shelf = racks->shelves.items[shelf_number];
    Rack *rack = &shelf->racks[rack_number];

    if (rack->count == rack->capacity)
        rack_grow(racks, rack);
    for (uint32_t dim = 0; dim < racks->solver->quanta.dims && !rack->count; dim++)
        rack->least[dim] = INT32_MAX;
    racks->places.items[bin->number] = (RackPlace){shelf_number, rack_number, rack->count};
    lane_fill(racks, rack, rack->count++, bin);
    shelf->bin_count++;
}

// --- shelves

static bool same_taints(const TaintVec *a, const TaintVec *b) {
    if (a == b || !a || !b)
        return a == b;
    return a->count == b->count && (!a->count || memcmp(a->items, b->items, a->count * sizeof *a->items) == 0);
}

static uint32_t shelf_for(Racks *racks, const Bin *bin) {
    const TaintVec *taints = bin->pool ? NULL : &bin->node->taints;
    uint64_t hash = hash_combine(bin->pool ? bin->pool->number + 1 : 0, bin->state);
    uint32_t cursor = 0, found;
    Shelf *shelf;

    while ((found = index_map_next(&racks->index, hash, &cursor)) != INDEX_NONE) {
        shelf = racks->shelves.items[found];
        if (shelf->pool == bin->pool && shelf->state == bin->state && same_taints(shelf->taints, taints))
            return found;
    }
    shelf = arena_new(racks->arena, Shelf);
    *shelf = (Shelf){.pool = bin->pool, .state = bin->state, .taints = taints, .rack_count = 1};
    if (bin->pool) {
        shelf->ladder = claim_ladder(racks->solver, bin->pool, bin->state);
        shelf->rack_count = shelf->ladder->step_count;
    }
    shelf->racks = arena_array(racks->arena, Rack, shelf->rack_count);
    index_map_add(racks->arena, &racks->index, hash, racks->shelves.count);
    vec_push(racks->arena, &racks->shelves, shelf);
    return racks->shelves.count - 1;
}

// The first step that the claim allows; the number of steps when it was cut down to rows that are none.
static uint32_t bin_step(const Shelf *shelf, const Bin *bin) {
    const Ladder *ladder = shelf->ladder;
    uint32_t step = 0;

    if (!bin->pool)
        return 0;
    while (step < ladder->step_count && !bitset_has(bin->rows, ladder->launches[ladder->steps[step]].row))
        step++;
    return step;
}

void racks_update(Racks *racks, uint32_t number) {
    const Bin *bin = &racks->solver->bins.items[number];
    RackPlace *place;
    uint32_t shelf, rack;

    while (racks->places.count <= number)
        vec_push(racks->arena, &racks->places, (RackPlace){.shelf = INDEX_NONE});
    place = &racks->places.items[number];
    shelf = shelf_for(racks, bin);
    rack = bin_step(racks->shelves.items[shelf], bin);
    if (place->shelf == shelf && place->rack == rack && (!bin->pool || bin->pods.count)) {
        lane_fill(racks, &racks->shelves.items[shelf]->racks[rack], place->lane, bin);
        return;
    }
    if (place->shelf != INDEX_NONE)
        lane_remove(racks, place);
    if (rack < racks->shelves.items[shelf]->rack_count && (!bin->pool || bin->pods.count))
        lane_add(racks, shelf, rack, bin);
}

void racks_remove(Racks *racks, uint32_t bin) {
    if (bin < racks->places.count && racks->places.items[bin].shelf != INDEX_NONE)
        lane_remove(racks, &racks->places.items[bin]);
}

void racks_init(Racks *racks, Solver *solver, Arena *arena) {
    *racks = (Racks){.solver = solver, .arena = arena};
    for (uint32_t i = 0; i < solver->bins.count; i++)
        racks_update(racks, i);
}

// --- scanning

bool rack_may_have(const Rack *rack, uint32_t dims, const int32_t *most) {
    for (uint32_t dim = 0; dim < dims; dim++) {
        if (rack->count == 0 || (most[dim] != INT32_MAX && rack->least[dim] > most[dim]))
            return false;
    }
    return true;
}

uint32_t rack_find(const Rack *rack, uint32_t dims, const int32_t *most, uint32_t start, uint32_t *ret_lanes) {
    uint32_t count = rack->count - start < RACK_BLOCK ? rack->count - start : RACK_BLOCK, found = 0;
    int32_t excess[RACK_BLOCK];

    memset(excess, 0x80, count * sizeof *excess); // very negative: no excess yet
    for (uint32_t dim = 0; dim < dims; dim++) {
        if (most[dim] != INT32_MAX)
            lanes_excess(rack->load + (size_t)dim * rack->capacity + start, most[dim], count, excess);
    }
    for (uint32_t i = 0; i < count; i++) {
        ret_lanes[found] = start + i;
        found += excess[i] <= 0;
    }
    return found;
}
