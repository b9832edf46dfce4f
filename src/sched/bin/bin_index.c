// Maintains groups and load tables.
#include "sched/bin/bin_index.h"

#include "sched/bin/claim_price.h"
#include "sched/index/lanes.h"

// --- lanes

static void load_table_grow(BinIndex *bin_index, LoadTable *load_table) {
    uint32_t dims = bin_index->solver->quanta.dims, capacity = load_table->capacity ? load_table->capacity * 2 : 8;
    uint32_t *bins = arena_array(bin_index->arena, uint32_t, capacity);
    int32_t *load = arena_array(bin_index->arena, int32_t, (size_t)capacity * dims);

    for (uint32_t dim = 0; dim < dims && load_table->count; dim++)
        memcpy(load + (size_t)dim * capacity, load_table->load + (size_t)dim * load_table->capacity,
               load_table->count * sizeof *load);
    if (load_table->count)
        memcpy(bins, load_table->bins, load_table->count * sizeof *bins);
    if (!load_table->least) {
        load_table->least = arena_array(bin_index->arena, int32_t, dims);
        load_table->sum = arena_array(bin_index->arena, int64_t, dims);
    }
    load_table->bins = bins;
    load_table->load = load;
    load_table->capacity = capacity;
}

// The load of a bin in quanta, rounded up.
static int32_t bin_load(const Quanta *quanta, const Bin *bin, uint32_t dim) {
    int64_t free;

    if (bin->pool)
        return quanta_up(quanta, dim, bin->used[dim]);
    if (bin->free[dim] < 0)
        return INT32_MAX / 2;
    free = bin->free[dim] / quanta->unit[dim];
    return -(int32_t)(free > INT32_MAX / 4 ? INT32_MAX / 4 : free);
}

// A lane that had that load has it no longer: the least of few lanes is found again. Of many it stays a lower bound.
static void load_leaves(LoadTable *load_table, uint32_t dim, int32_t left) {
    const int32_t *load = load_table->load + (size_t)dim * load_table->capacity;
    int32_t least = INT32_MAX;

    if (left != load_table->least[dim] || load_table->count > LOAD_TABLE_BLOCK)
        return;
    for (uint32_t lane = 0; lane < load_table->count; lane++)
        least = load[lane] < least ? load[lane] : least;
    load_table->least[dim] = least;
}

// The lane's loads are those of a bin, or INT32_MAX.
static void lane_fill(BinIndex *bin_index, LoadTable *load_table, uint32_t lane, const Bin *bin) {
    const Quanta *quanta = &bin_index->solver->quanta;

    load_table->bins[lane] = bin->number;
    for (uint32_t dim = 0; dim < quanta->dims; dim++) {
        int32_t *load = &load_table->load[(size_t)dim * load_table->capacity + lane], had = *load;

        *load = bin_load(quanta, bin, dim);
        load_table->sum[dim] += (int64_t)*load - had;
        if (*load < load_table->least[dim])
            load_table->least[dim] = *load;
        else if (*load > had)
            load_leaves(load_table, dim, had);
    }
}

static void lane_remove(BinIndex *bin_index, BinPlace *place) {
    BinGroup *bin_group = bin_index->bin_groups.items[place->bin_group];
    LoadTable *load_table = &bin_group->load_tables[place->load_table];
    uint32_t last = --load_table->count;

    if (!last)
        bitset_clear(bin_group->occupied, place->load_table);
    bin_index->group_bins -= --bin_group->bin_count == 0;
    for (uint32_t dim = 0; dim < bin_index->solver->quanta.dims; dim++) {
        int32_t *load = load_table->load + (size_t)dim * load_table->capacity, had = load[place->lane];

        load[place->lane] = load[last];
        load_table->sum[dim] -= had;
        load_leaves(load_table, dim, had);
    }
    if (place->lane != last) {
        load_table->bins[place->lane] = load_table->bins[last];
        bin_index->places.items[load_table->bins[last]].lane = place->lane;
    }
    place->bin_group = INDEX_NONE;
}

static void lane_add(BinIndex *bin_index, uint32_t bin_group_number, uint32_t load_table_number, const Bin *bin) {
    BinGroup *bin_group = bin_index->bin_groups.items[bin_group_number];
    LoadTable *load_table = &bin_group->load_tables[load_table_number];

    if (load_table->count == load_table->capacity)
        load_table_grow(bin_index, load_table);
    for (uint32_t dim = 0; dim < bin_index->solver->quanta.dims; dim++) {
        load_table->load[(size_t)dim * load_table->capacity + load_table->count] = INT32_MAX;
        load_table->sum[dim] += INT32_MAX;
        if (!load_table->count)
            load_table->least[dim] = INT32_MAX;
    }
    bin_index->places.items[bin->number] = (BinPlace){bin_group_number, load_table_number, load_table->count};
    lane_fill(bin_index, load_table, load_table->count++, bin);
    bitset_set(bin_group->occupied, load_table_number);
    bin_index->group_bins += bin_group->bin_count++ == 0;
}

// --- bin_groups

static bool same_taints(const TaintVec *a, const TaintVec *b) {
    if (a == b || !a || !b)
        return a == b;
    return a->count == b->count && (!a->count || memcmp(a->items, b->items, a->count * sizeof *a->items) == 0);
}

static uint64_t bin_group_hash(const Pool *pool, uint32_t state) {
    return hash_combine(pool ? pool->number + 1 : 0, state);
}

// An empty group with that many load tables: a spare one if it has enough.
static BinGroup *bin_group_new(BinIndex *bin_index, uint32_t load_tables) {
    BinGroup *bin_group = bin_index->spare.count ? *vec_last(&bin_index->spare) : NULL;

    if (bin_group && bin_group->load_table_capacity >= load_tables) {
        bin_index->spare.count--;
        return bin_group;
    }
    bin_group = arena_new(bin_index->arena, BinGroup);
    bin_group->load_tables = arena_array(bin_index->arena, LoadTable, load_tables);
    bin_group->occupied = bitset_new(bin_index->arena, load_tables);
    bin_group->load_table_capacity = load_tables;
    return bin_group;
}

static uint32_t bin_group_for(BinIndex *bin_index, const Bin *bin) {
    const TaintVec *taints = bin->pool ? NULL : &bin->node->taints;
    uint64_t hash = bin_group_hash(bin->pool, bin->state);
    const LaunchOrder *launch_order = NULL;
    uint32_t cursor = 0, found, load_tables = 1;
    BinGroup *bin_group;

    while ((found = index_map_next(&bin_index->index, hash, &cursor)) != INDEX_NONE) {
        bin_group = bin_index->bin_groups.items[found];
        if (bin_group->pool == bin->pool && bin_group->state == bin->state && same_taints(bin_group->taints, taints))
            return found;
    }
    if (bin->pool) {
        launch_order = claim_launch_order(bin_index->solver, bin->pool, bin->state);
        load_tables = launch_order->step_count;
    }
    bin_group = bin_group_new(bin_index, load_tables);
    bin_group->pool = bin->pool;
    bin_group->state = bin->state;
    bin_group->taints = taints;
    bin_group->launch_order = launch_order;
    bin_group->load_table_count = load_tables;
    index_map_add(bin_index->arena, &bin_index->index, hash, bin_index->bin_groups.count);
    vec_push(bin_index->arena, &bin_index->bin_groups, bin_group);
    return bin_index->bin_groups.count - 1;
}

// The first step of the launch order that is among the claim's types; the number of steps if none is.
static uint32_t bin_step(const BinGroup *bin_group, const Bin *bin) {
    const LaunchOrder *launch_order = bin_group->launch_order;
    uint32_t step = 0;

    if (!bin->pool)
        return 0;
    while (step < launch_order->step_count && !bitset_has(bin->rows, launch_at_step(launch_order, step)->row))
        step++;
    return step;
}

static bool takes_pods(const Bin *bin) {
    return !bin->gone && (!bin->pool || bin->pods.count);
}

void bin_index_update(BinIndex *bin_index, uint32_t number) {
    const Bin *bin = &bin_index->solver->bins.items[number];
    BinPlace *place;
    uint32_t bin_group, load_table;

    while (bin_index->places.count <= number)
        vec_push(bin_index->arena, &bin_index->places, (BinPlace){.bin_group = INDEX_NONE});
    place = &bin_index->places.items[number];
    bin_group = bin_group_for(bin_index, bin);
    load_table = bin_step(bin_index->bin_groups.items[bin_group], bin);
    if (place->bin_group == bin_group && place->load_table == load_table && takes_pods(bin)) {
        lane_fill(bin_index, &bin_index->bin_groups.items[bin_group]->load_tables[load_table], place->lane, bin);
        return;
    }
    if (place->bin_group != INDEX_NONE)
        lane_remove(bin_index, place);
    if (load_table < bin_index->bin_groups.items[bin_group]->load_table_count && takes_pods(bin))
        lane_add(bin_index, bin_group, load_table, bin);
}

void bin_index_remove(BinIndex *bin_index, uint32_t bin) {
    if (bin < bin_index->places.count && bin_index->places.items[bin].bin_group != INDEX_NONE)
        lane_remove(bin_index, &bin_index->places.items[bin]);
}

// Removes the groups without bins, keeping the order. `ret_numbers`: the new index of each group.
static void keep_groups_with_bins(BinIndex *bin_index, uint32_t *ret_numbers) {
    BinGroupVec *groups = &bin_index->bin_groups;
    uint32_t kept = 0;

    bin_index->index = (IndexMap){0};
    for (uint32_t i = 0; i < groups->count; i++) {
        BinGroup *bin_group = groups->items[i];

        if (!bin_group->bin_count) {
            vec_push(bin_index->arena, &bin_index->spare, bin_group);
            continue;
        }
        index_map_add(bin_index->arena, &bin_index->index, bin_group_hash(bin_group->pool, bin_group->state), kept);
        ret_numbers[i] = kept;
        groups->items[kept++] = bin_group;
    }
    groups->count = kept;
}

void bin_index_tidy(BinIndex *bin_index) {
    enum { MANY = 1024 };
    Arena scratch = {0};
    uint32_t *numbers;

    if (bin_index->bin_groups.count < MANY || bin_index->group_bins > bin_index->bin_groups.count / 2)
        return;
    numbers = arena_array_raw(&scratch, uint32_t, bin_index->bin_groups.count);
    keep_groups_with_bins(bin_index, numbers);
    for (vec_each(BinPlace, place, &bin_index->places)) {
        if (place->bin_group != INDEX_NONE)
            place->bin_group = numbers[place->bin_group];
    }
    arena_free(&scratch);
}

void bin_index_init(BinIndex *bin_index, Solver *solver, Arena *arena) {
    *bin_index = (BinIndex){.solver = solver, .arena = arena};
    for (uint32_t i = 0; i < solver->bins.count; i++)
        bin_index_update(bin_index, i);
}

// --- scanning

bool load_table_may_have(const LoadTable *load_table, uint32_t dims, const int32_t *most) {
    for (uint32_t dim = 0; dim < dims; dim++) {
        if (load_table->count == 0 || (most[dim] != INT32_MAX && load_table->least[dim] > most[dim]))
            return false;
    }
    return true;
}

uint32_t load_table_find(const LoadTable *load_table, uint32_t dims, const int32_t *most, uint32_t start,
                         uint32_t *ret_lanes) {
    uint32_t count = load_table->count - start < LOAD_TABLE_BLOCK ? load_table->count - start : LOAD_TABLE_BLOCK;
    int32_t excess[LOAD_TABLE_BLOCK];
    uint32_t found;

    memset(excess, 0x80, count * sizeof *excess); // a very negative number: no excess
    for (uint32_t dim = 0; dim < dims; dim++) {
        if (most[dim] != INT32_MAX)
            lanes_excess(load_table->load + (size_t)dim * load_table->capacity + start, most[dim], count, excess);
    }
    found = lanes_within(excess, count, ret_lanes);
    for (uint32_t i = 0; i < found; i++)
        ret_lanes[i] += start;
    return found;
}
