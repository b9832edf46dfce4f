// BinIndex: finding bins by load, and keeping the index correct while bins change.
#include "harness/test.h"
#include "sched/bin/bin_index.h"
#include "sched/bin/claim_price.h"
#include "sched/support/random_world.h"
#include "sched/support/trial.h"

#include <stdio.h>

AFTER_EACH(random_teardown);

// --- finding

enum { DIMS_MAX = 5, NOT_ASKED = INT32_MAX };

// A load table with random loads, some of them negative, as nodes have.
static LoadTable random_load_table(Arena *arena, Random *random, uint32_t dims, uint32_t count) {
    LoadTable load_table = {.count = count, .capacity = count + random_below(random, 20) + 1};

    load_table.bins = arena_array(arena, uint32_t, load_table.capacity);
    load_table.load = arena_array(arena, int32_t, (size_t)dims * load_table.capacity);
    load_table.least = arena_array(arena, int32_t, dims);
    for (uint32_t dim = 0; dim < dims; dim++) {
        int32_t *load = load_table.load + (size_t)dim * load_table.capacity;

        load_table.least[dim] = INT32_MAX;
        for (uint32_t lane = 0; lane < load_table.capacity;
             lane++) // also lanes after the last one, which must not be found
            load[lane] = (int32_t)random_below(random, 40) - 20;
        for (uint32_t lane = 0; lane < count; lane++) {
            if (load[lane] < load_table.least[dim])
                load_table.least[dim] = load[lane];
        }
    }
    for (uint32_t lane = 0; lane < count; lane++)
        load_table.bins[lane] = 1000 + lane;
    return load_table;
}

static bool is_within(const LoadTable *load_table, uint32_t dims, const int32_t *most, uint32_t lane) {
    for (uint32_t dim = 0; dim < dims; dim++) {
        if (most[dim] != NOT_ASKED && load_table->load[(size_t)dim * load_table->capacity + lane] > most[dim])
            return false;
    }
    return true;
}

static void check_find(const LoadTable *load_table, uint32_t dims, const int32_t *most) {
    uint32_t lanes[LOAD_TABLE_BLOCK], next = 0;

    for (uint32_t start = 0; start < load_table->count; start += LOAD_TABLE_BLOCK) {
        uint32_t found = load_table_find(load_table, dims, most, start, lanes);

        assert_true(found <= LOAD_TABLE_BLOCK);
        for (uint32_t i = 0; i < found; i++, next++) {
            while (next < lanes[i])
                assert_false(is_within(load_table, dims, most, next++));
            assert_int_equal(lanes[i], next);
            assert_true(is_within(load_table, dims, most, next));
        }
        for (; next < start + LOAD_TABLE_BLOCK && next < load_table->count; next++)
            assert_false(is_within(load_table, dims, most, next));
    }
    assert_int_equal(next, load_table->count);
}

static void check_may_have(const LoadTable *load_table, uint32_t dims, const int32_t *most) {
    bool some = false, no_dimension_forbids = true;

    for (uint32_t lane = 0; lane < load_table->count; lane++)
        some |= is_within(load_table, dims, most, lane);
    for (uint32_t dim = 0; dim < dims; dim++) {
        bool any = false;

        for (uint32_t lane = 0; lane < load_table->count; lane++)
            any |= most[dim] == NOT_ASKED || load_table->load[(size_t)dim * load_table->capacity + lane] <= most[dim];
        no_dimension_forbids &= any;
    }
    if (some)
        assert_true(load_table_may_have(load_table, dims, most));
    assert_int_equal(load_table_may_have(load_table, dims, most),
                     no_dimension_forbids); // by the least load of each dimension
}

TEST(find_gives_the_lanes_within_the_loads_block_by_block) {
    static const uint32_t counts[] = {0, 1, 7, 8, 255, 256, 257, 300, 511, 512, 513, 1000};
    Random random;

    random_seed(&random, 3);
    for (int round = 0; round < 400; round++) {
        uint32_t dims = 1 + random_below(&random, DIMS_MAX);
        Arena arena = {0};
        LoadTable load_table = random_load_table(&arena, &random, dims, counts[random_below(&random, 12)]);
        int32_t most[DIMS_MAX];

        for (uint32_t dim = 0; dim < dims; dim++)
            most[dim] = random_chance(&random, 30) ? NOT_ASKED : (int32_t)random_below(&random, 44) - 22;
        check_find(&load_table, dims, most);
        check_may_have(&load_table, dims, most);
        arena_free(&arena);
    }
}

TEST(find_takes_a_load_that_is_just_allowed) {
    int32_t load[] = {4, 5, 6}, least = 4, most = 5;
    uint32_t bins[] = {0, 1, 2}, lanes[LOAD_TABLE_BLOCK];
    LoadTable load_table = {.count = 3, .capacity = 3, .bins = bins, .load = load, .least = &least};

    assert_int_equal(load_table_find(&load_table, 1, &most, 0, lanes), 2);
    assert_int_equal(lanes[0], 0);
    assert_int_equal(lanes[1], 1);
    most = 4;
    assert_true(load_table_may_have(&load_table, 1, &most));
    most = 3;
    assert_false(load_table_may_have(&load_table, 1, &most));
}

// --- keeping

// Bins that change at random, and the index that is updated with them.
typedef struct {
    Solver *solver;
    Random *random;
    BinIndex bin_index;
    bool *out; // per bin: removed from the index
} Store;

enum { BINS_MAX = 900 };

// The step that a bin must be found under; -1: it must not be found.
static int expected_load_table(const Store *store, const Bin *bin) {
    const LaunchOrder *launch_order;

    if (store->out[bin->number])
        return -1;
    if (!bin->pool)
        return 0;
    launch_order = claim_launch_order(store->solver, bin->pool, bin->state);
    for (uint32_t step = 0; step < launch_order->step_count && bin->pods.count; step++) {
        if (bitset_has(bin->rows, launch_at_step(launch_order, step)->row))
            return (int)step;
    }
    return -1;
}

static void check_load(const Store *store, const LoadTable *load_table, uint32_t lane, const Bin *bin) {
    const Quanta *quanta = &store->solver->quanta;

    for (uint32_t dim = 0; dim < quanta->dims; dim++) {
        int32_t load = load_table->load[(size_t)dim * load_table->capacity + lane];

        assert_true(load_table->least[dim] <= load);
        if (bin->pool)
            assert_int_equal(load, (bin->used[dim] + quanta->unit[dim] - 1) / quanta->unit[dim]);
        else if (bin->free[dim] >= 0)
            assert_int_equal(load, -(bin->free[dim] / quanta->unit[dim]));
        else
            assert_true(load > INT32_MAX / 4); // overcommitted: no room at all
    }
}

static void check_table(const LoadTable *load_table, uint32_t dims) {
    for (uint32_t dim = 0; dim < dims && load_table->count; dim++) {
        const int32_t *load = load_table->load + (size_t)dim * load_table->capacity;
        int32_t least = INT32_MAX;
        int64_t sum = 0;

        for (uint32_t lane = 0; lane < load_table->count; lane++) {
            least = load[lane] < least ? load[lane] : least;
            sum += load[lane];
        }
        assert_int_equal(load_table->sum[dim], sum);
        if (load_table->count <= LOAD_TABLE_BLOCK)
            assert_int_equal(load_table->least[dim], least);
    }
}

static void check_bin_group(const Store *store, const BinGroup *bin_group, uint32_t *times) {
    uint32_t count = 0;

    for (uint32_t number = 0; number < bin_group->load_table_count; number++) {
        const LoadTable *load_table = &bin_group->load_tables[number];

        assert_true(load_table->count <= load_table->capacity);
        count += load_table->count;
        check_table(load_table, store->solver->quanta.dims);
        for (uint32_t lane = 0; lane < load_table->count; lane++) {
            const Bin *bin = &store->solver->bins.items[load_table->bins[lane]];

            times[bin->number]++;
            assert_ptr_equal(bin_group->pool, bin->pool);
            assert_int_equal(bin_group->state, bin->state);
            assert_int_equal(number, expected_load_table(store, bin));
            check_load(store, load_table, lane, bin);
        }
    }
    assert_int_equal(bin_group->bin_count, count);
}

static void check_store(const Store *store) {
    uint32_t times[BINS_MAX] = {0};

    for (vec_each(BinGroup *, bin_group, &store->bin_index.bin_groups))
        check_bin_group(store, *bin_group, times);
    for (vec_each(const Bin, bin, &store->solver->bins)) {
        assert_int_equal(times[bin->number], expected_load_table(store, bin) >= 0);
        if (!times[bin->number])
            assert_true(bin->number >= store->bin_index.places.count ||
                        store->bin_index.places.items[bin->number].bin_group == INDEX_NONE);
    }
}

// --- random changes

static void change_node(Store *store, Bin *bin) {
    for (uint32_t dim = 0; dim < store->solver->quanta.dims; dim++)
        bin->free[dim] += (int64_t)random_below(store->random, 4000) - 2000;
}

static void change_state(Store *store, Bin *bin) {
    Solver *solver = store->solver;
    uint32_t key = universe_key(&solver->universe, NAME_CAPACITY_TYPE);
    uint32_t atom = random_below(store->random, solver->universe.keys.items[key].value_count);
    uint32_t next = label_state_step(&solver->states, bin->state, label_state_pin_set(&solver->states, key, atom));

    if (next != LABEL_STATE_NONE)
        bin->state = next;
    bitset_and(bin->rows, label_state_at(&solver->states, bin->state)->rows, bin->pool->table->words);
}

static void change_claim(Store *store, Bin *bin) {
    uint32_t words = bin->pool->table->words;

    switch (random_below(store->random, 5)) {
    case 0:
        change_state(store, bin);
        break;
    case 1: // fewer types, perhaps none
        for (bitset_each(row, bin->rows, words)) {
            if (random_chance(store->random, 40))
                bitset_clear(bin->rows, row);
        }
        break;
    case 2: // all types again
        bitset_copy(bin->rows, label_state_at(&store->solver->states, bin->state)->rows, words);
        break;
    case 3: // a claim without pods is removed
        bin->pods.count = !bin->pods.count;
        break;
    default:
        for (uint32_t dim = 0; dim < store->solver->quanta.dims; dim++)
            bin->used[dim] = random_below(store->random, 100000);
    }
}

static void add_claim(Store *store) {
    Solver *solver = store->solver;
    Pool *pool = &solver->pools.items[random_below(store->random, solver->pools.count)];
    Bin *bin = vec_add(solver->arena, &solver->bins);

    if (pool->open_state == LABEL_STATE_NONE)
        pool = &solver->pools.items[0];
    *bin = (Bin){.pool = pool, .number = solver->bins.count - 1, .state = pool->open_state};
    bin->rows = arena_copy(solver->arena, label_state_at(&solver->states, bin->state)->rows,
                           pool->table->words * sizeof *bin->rows);
    bin->used = arena_array(solver->arena, int64_t, solver->quanta.dims);
    vec_push(solver->arena, &bin->pods, (BinPods){0, 0, 1});
}

static void change_something(Store *store) {
    Solver *solver = store->solver;
    uint32_t number;

    if (solver->bins.count == 0 || (solver->bins.count < BINS_MAX && random_chance(store->random, 40)))
        add_claim(store);
    number = random_below(store->random, solver->bins.count);
    if (random_chance(store->random, 15)) {
        bin_index_remove(&store->bin_index, number);
        store->out[number] = true;
        return;
    }
    if (solver->bins.items[number].pool)
        change_claim(store, &solver->bins.items[number]);
    else
        change_node(store, &solver->bins.items[number]);
    bin_index_update(&store->bin_index, number);
    store->out[number] = false;
}

static void change_much(World *world, Random *random) {
    Trial *trial = trial_begin(world);
    Store store = {.solver = &trial->solver, .random = random};

    trial_place(trial, STRATEGY_FIRST_FIT);
    store.out = arena_array(&trial->arena, bool, BINS_MAX);
    bin_index_init(&store.bin_index, &trial->solver, &trial->arena);
    check_store(&store);
    for (int step = 0; step < 1500; step++) {
        uint32_t count = trial->solver.bins.count;

        change_something(&store);
        for (uint32_t i = count; i < trial->solver.bins.count; i++) {
            bin_index_update(&store.bin_index, i);
            store.out[i] = false;
        }
        if (step % 50 == 0)
            check_store(&store);
    }
    check_store(&store);
    trial_end(trial);
}

TEST(every_bin_stands_in_one_place_whatever_happens) {
    each_random_world(25, RANDOM_POOLS | RANDOM_NODES | RANDOM_SELECTORS, change_much);
}

// --- bin_groups

static uint32_t bin_groups_with_nodes(const BinIndex *bin_index) {
    uint32_t count = 0;

    for (vec_each(BinGroup *const, bin_group, &bin_index->bin_groups))
        count += !(*bin_group)->pool;
    return count;
}

// Nodes share a bin group if they have the same taints and the same values of all labels that some pod asks for.
TEST_F(World, w, nodes_stand_apart_by_labels_and_taints) {
    BinIndex bin_index;
    Trial *trial;

    world_pool(w, .name = "default");
    world_node(w, .name = "n-1", .labels = ZONE ": a");
    world_node(w, .name = "n-2", .labels = ZONE ": a, team: red");
    world_node(w, .name = "n-3", .labels = ZONE ": b");
    world_node(w, .name = "n-4", .labels = ZONE ": a", .taints = "{key: k, effect: NoSchedule}");
    world_pods(w, .name = "web", .spec = SELECT(ZONE ": a"));
    trial = trial_begin(w);
    bin_index_init(&bin_index, &trial->solver, &trial->arena);

    assert_int_equal(bin_groups_with_nodes(&bin_index), 3); // no pod asks for the label team
    trial_end(trial);
}

// Claims of 1,100 teams, each in its own label state, most of which are removed.
TEST_F(World, w, groups_that_lost_their_bins_are_taken_out_and_used_again) {
    enum { TEAMS = 1100, KEPT = 100 };
    BinIndex bin_index;
    Trial *trial;

    world_pool(w, .name = "default", .requirements = EXISTS("x.io/team"));
    for (int i = 0; i < TEAMS; i++) {
        char name[16], select[48];

        snprintf(name, sizeof name, "p%d", i);
        snprintf(select, sizeof select, "nodeSelector: {x.io/team: t%d}", i);
        world_pods(w, .name = name, .requests = "cpu: 1", .spec = select);
    }
    trial = trial_begin(w);
    trial_place(trial, STRATEGY_FIRST_FIT);
    bin_index_init(&bin_index, &trial->solver, &trial->arena);
    assert_int_equal(bin_index.bin_groups.count, TEAMS);
    for (uint32_t bin = KEPT; bin < TEAMS; bin++)
        bin_index_remove(&bin_index, bin);
    bin_index_tidy(&bin_index);

    assert_int_equal(bin_index.bin_groups.count, KEPT);
    assert_int_equal(bin_index.spare.count, TEAMS - KEPT);
    for (uint32_t bin = KEPT; bin < TEAMS; bin++)
        bin_index_update(&bin_index, bin);
    assert_int_equal(bin_index.bin_groups.count, TEAMS);
    assert_int_equal(bin_index.spare.count, 0);
    for (uint32_t bin = 0; bin < TEAMS; bin++) {
        const BinPlace *place = &bin_index.places.items[bin];
        const BinGroup *bin_group = bin_index.bin_groups.items[place->bin_group];

        assert_int_equal(bin_group->state, trial->solver.bins.items[bin].state);
        assert_int_equal(bin_group->load_tables[place->load_table].bins[place->lane], bin);
    }
    trial_end(trial);
}
