// The simulated cloud with random launches, terminations and faults: the bill equals the test's own accounts, a
// NodeClaim has one instance, no capacity pool gives more than it has, and every instance ends.
//
// The accounts use only the cloud's changes and prices. Prices change at full minutes, by the random process or by a
// fault, so they are read once a minute. TENON_SEEDS=500 makes the test longer.
#include "sim/cloud/cloud_parts.h"
#include "sim/support/cloudlet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TYPES = 3, ZONES = 6, POOLS = TYPES * ZONES * 2, STEPS = 240, CLAIMS_MAX = 1000 };

static const char *const types[TYPES] = {"m5.large", "c5.large", "r5.xlarge"};
static const char *const zones[ZONES] = {"us-east-1a", "us-east-1b", "us-east-1c",
                                         "us-east-1d", "us-east-1e", "us-east-1f"};
static const char *const kinds[] = {"on-demand", "spot"};

// An instance in the test's accounts.
typedef struct {
    SimInstanceState state;
    int64_t from_ns, until_ns; // when it runs; 0: not started, not ended
    uint32_t pool;
} Entry;

typedef struct {
    Cloudlet *cloudlet;
    Random random;
    int64_t start_ns;
    int64_t prices[STEPS + 60][POOLS];
    uint32_t minutes;
    Entry entries[CLAIMS_MAX];
    const NodeClaim *claims[CLAIMS_MAX]; // by instance
    Symbol ids[CLAIMS_MAX];
    uint32_t launched, lost;
} Book;

static int64_t book_now(const Book *book) {
    return world_now_ns(book->cloudlet->world);
}

// Pools are numbered by type, zone and capacity type.
static Slice type_of(uint32_t pool) {
    return slice_of(types[pool / 2 / ZONES]);
}

static Slice zone_of(uint32_t pool) {
    return slice_of(zones[pool / 2 % ZONES]);
}

static int64_t left_in(const Book *book, uint32_t pool) {
    return sim_cloud_left(book->cloudlet->cloud, type_of(pool), zone_of(pool), slice_of(kinds[pool % 2]));
}

// --- accounts

static uint32_t find_pool(const Book *book, const SimInstance *instance) {
    const Symbols *symbols = world_symbols(book->cloudlet->world);

    for (uint32_t pool = 0; pool < POOLS; pool++) {
        if (slice_eq(symbol_text(symbols, instance->instance_type), type_of(pool)) &&
            slice_eq(symbol_text(symbols, instance->zone), zone_of(pool)) &&
            slice_eq_text(symbol_text(symbols, instance->capacity_type), kinds[pool % 2]))
            return pool;
    }
    fail_msg("an instance of a pool that nobody asked for");
    return 0;
}

static void assert_step(SimInstanceState before, SimInstanceState after) {
    static const uint8_t allowed[] = {
        [SIM_INSTANCE_PENDING] = 1 << SIM_INSTANCE_PENDING | 1 << SIM_INSTANCE_RUNNING | 1 << SIM_INSTANCE_STOPPED |
                                 1 << SIM_INSTANCE_SHUTTING_DOWN | 1 << SIM_INSTANCE_TERMINATED,
        [SIM_INSTANCE_RUNNING] = 1 << SIM_INSTANCE_RUNNING | 1 << SIM_INSTANCE_STOPPED |
                                 1 << SIM_INSTANCE_SHUTTING_DOWN | 1 << SIM_INSTANCE_TERMINATED,
        [SIM_INSTANCE_STOPPED] = 1 << SIM_INSTANCE_SHUTTING_DOWN,
        [SIM_INSTANCE_SHUTTING_DOWN] = 1 << SIM_INSTANCE_TERMINATED,
    };

    if (!(allowed[before] >> after & 1))
        fail_msg("an instance went from %s to %s", sim_instance_state_text(before), sim_instance_state_text(after));
}

static void note_change(void *context, const SimInstanceChange *change) {
    Book *book = context;
    Entry *entry = &book->entries[change->number];
    SimInstanceState before = change->before;

    assert_int_equal(entry->state, before);
    assert_step(before, change->after);
    if (before == SIM_INSTANCE_PENDING && change->after == SIM_INSTANCE_RUNNING)
        entry->from_ns = book_now(book);
    if (before == SIM_INSTANCE_RUNNING && change->after != SIM_INSTANCE_RUNNING)
        entry->until_ns = book_now(book);
    entry->state = change->after;
}

static void note_prices(Book *book) {
    for (uint32_t pool = 0; pool < POOLS; pool++)
        book->prices[book->minutes][pool] =
            sim_cloud_price(book->cloudlet->cloud, type_of(pool), zone_of(pool), slice_of(kinds[pool % 2]));
    book->minutes++;
}

static __int128 cost_of(const Book *book, const Entry *entry) {
    int64_t until = entry->until_ns ? entry->until_ns : book_now(book);
    __int128 cost = 0;

    if (!entry->from_ns)
        return 0;
    for (uint32_t minute = 0; minute < book->minutes; minute++) {
        int64_t begin = book->start_ns + MINUTES(minute), end = begin + MINUTES(1);

        begin = begin > entry->from_ns ? begin : entry->from_ns;
        end = end < until ? end : until;
        if (end > begin)
            cost += (__int128)book->prices[minute][entry->pool] * (end - begin);
    }
    if (entry->until_ns && until - entry->from_ns < SECONDS(60)) // a minute at least
        cost += (__int128)book->prices[(until - book->start_ns) / MINUTES(1)][entry->pool] *
                (SECONDS(60) - (until - entry->from_ns));
    return cost;
}

static void compare_bill(const Book *book) {
    SimBill bill = sim_cloud_bill(book->cloudlet->cloud);
    __int128 cost[2] = {0, 0};
    int64_t ran[2] = {0, 0};
    uint64_t launched[2] = {0, 0}, ended[2] = {0, 0};

    for (uint32_t i = 0; i < book->launched; i++) {
        const Entry *entry = &book->entries[i];
        uint32_t kind = entry->pool % 2;
        __int128 one = cost_of(book, entry);

        assert_int_equal(sim_cloud_instance_cost(book->cloudlet->cloud, i), (int64_t)(one / MINUTES(60)));
        cost[kind] += one;
        launched[kind]++;
        ended[kind] += entry->state == SIM_INSTANCE_TERMINATED;
        if (entry->from_ns)
            ran[kind] += (entry->until_ns ? entry->until_ns : book_now(book)) - entry->from_ns;
    }
    for (uint32_t kind = 0; kind < 2; kind++) {
        assert_int_equal(bill.by_type[kind].nano_dollars, (int64_t)(cost[kind] / MINUTES(60)));
        assert_int_equal(bill.by_type[kind].instance_ns, ran[kind]);
        assert_int_equal(bill.by_type[kind].launched, launched[kind]);
        assert_int_equal(bill.by_type[kind].ended, ended[kind]);
    }
    assert_int_equal(bill.nano_dollars, (int64_t)((cost[0] + cost[1]) / MINUTES(60)));
}

// The number of used instances of each pool is that of the instances that boot or run in it.
static void compare_pools(const Book *book) {
    const SimCloud *cloud = book->cloudlet->cloud;

    for (uint32_t i = 0; i < cloud->pools.count; i++) {
        const CapacityPool *pool = &cloud->pools.items[i];
        uint32_t used = 0;

        for (uint32_t n = 0; n < book->launched && pool->used; n++) {
            const SimMachine *machine = &cloud->machines.items[n];

            used += machine->pool == i && machine->shown.state <= SIM_INSTANCE_RUNNING;
        }
        assert_int_equal(pool->used, used);
    }
    for (uint32_t pool = 0; pool < POOLS; pool++)
        assert_true(left_in(book, pool) >= 0);
}

// --- random steps

static bool may_fail_so(ErrCode code) {
    return code == ERR_CAPACITY || code == ERR_THROTTLED || code == ERR_IO || code == ERR_TIMEOUT;
}

// One or two types, of one or both capacity types.
static void describe_claim(Book *book, char *text, size_t size) {
    uint32_t type = random_below(&book->random, TYPES);
    bool two = random_chance(&book->random, 50);
    const char *kind = random_chance(&book->random, 30) ? "spot, on-demand" : kinds[random_below(&book->random, 2)];

    snprintf(text, size,
             "{key: node.kubernetes.io/instance-type, operator: In, values: [%s%s%s]}, {key: "
             "karpenter.sh/capacity-type, operator: In, values: [%s]}",
             types[type], two ? ", " : "", two ? types[(type + 1) % TYPES] : "", kind);
}

static void do_launch(Book *book) {
    char text[256];
    int64_t left[POOLS];
    CloudInstance instance;
    const NodeClaim *claim;
    uint32_t number = book->launched;
    ErrCode code;

    if (book->launched == CLAIMS_MAX)
        return;
    describe_claim(book, text, sizeof text);
    claim = cloudlet_claim(book->cloudlet, text, "100m");
    for (uint32_t pool = 0; pool < POOLS; pool++)
        left[pool] = left_in(book, pool);
    code = cloudlet_launch(book->cloudlet, claim, &instance, NULL);
    if (code != OK) {
        assert_true(may_fail_so(code));
        assert_int_equal(sim_cloud_instance_count(book->cloudlet->cloud), number);
        book->lost++;
        return;
    }
    assert_int_equal(sim_cloud_instance_count(book->cloudlet->cloud), number + 1);
    book->entries[number].pool = find_pool(book, cloudlet_instance(book->cloudlet, number));
    assert_true(left[book->entries[number].pool] > 0);
    book->claims[number] = claim;
    book->ids[number] = instance.provider_id;
    book->launched++;
}

// Launches a claim again, whatever became of its instance, perhaps after a restart of the process.
static void do_launch_again(Book *book) {
    uint32_t number = book->launched ? random_below(&book->random, book->launched) : 0;
    CloudInstance instance;
    ErrCode code;

    if (!book->launched)
        return;
    if (random_chance(&book->random, 10)) {
        sim_view_free(book->cloudlet->view);
        book->cloudlet->view = sim_view_new(book->cloudlet->cloud, state_symbols(book->cloudlet->state));
        book->cloudlet->table = sim_view_cloud(book->cloudlet->view);
    }
    code = cloudlet_launch(book->cloudlet, book->claims[number], &instance, NULL);
    assert_true(code == OK || may_fail_so(code));
    assert_int_equal(sim_cloud_instance_count(book->cloudlet->cloud), book->launched);
    if (code == OK)
        assert_int_equal(instance.provider_id, book->ids[number]);
}

static void do_terminate(Book *book) {
    uint32_t number = book->launched ? random_below(&book->random, book->launched) : 0;
    ErrCode code;

    if (!book->launched)
        return;
    code = cloud_terminate(book->cloudlet->table, book->ids[number], NULL);
    assert_true(code == OK || code == ERR_NOT_FOUND || (may_fail_so(code) && code != ERR_CAPACITY));
    if (code == ERR_NOT_FOUND)
        assert_int_equal(cloudlet_instance(book->cloudlet, number)->state, SIM_INSTANCE_TERMINATED);
    if (code == OK)
        assert_true(cloudlet_instance(book->cloudlet, number)->state >= SIM_INSTANCE_SHUTTING_DOWN);
}

static SimFilter draw_filter(Book *book) {
    SimFilter filter = {0};

    if (random_chance(&book->random, 70))
        filter.type = slice_of(types[random_below(&book->random, TYPES)]);
    if (random_chance(&book->random, 50))
        filter.zone = slice_of(zones[random_below(&book->random, ZONES)]);
    if (random_chance(&book->random, 50))
        filter.capacity_type = slice_of(kinds[random_below(&book->random, 2)]);
    return filter;
}

// Each draw is a statement of its own, as compilers evaluate arguments in different orders.
static void do_kill(Book *book) {
    SimDeath death = (SimDeath)random_below(&book->random, 3);

    if (book->launched)
        sim_cloud_fault_kill(book->cloudlet->cloud, random_below(&book->random, book->launched), death);
}

static void do_fault(Book *book) {
    SimCloud *cloud = book->cloudlet->cloud;
    Random *random = &book->random;
    SimFilter filter = draw_filter(book);

    switch (random_below(random, 10)) {
    case 0:
        sim_cloud_fault_ice(cloud, filter, random_chance(random, 40));
        break;
    case 1:
        sim_cloud_fault_left(cloud, filter, random_chance(random, 50) ? UINT32_MAX : random_below(random, 4));
        break;
    case 2:
        sim_cloud_fault_interrupt_all(cloud, filter, random_below(random, 5));
        break;
    case 3:
    case 4:
        do_kill(book);
        break;
    case 5:
        sim_cloud_fault_throttle(cloud, random_chance(random, 60) ? 100 : random_below(random, 100));
        break;
    case 6:
        sim_cloud_fault_api_errors(cloud, random_chance(random, 50) ? 0 : random_below(random, 60));
        break;
    case 7:
        sim_cloud_fault_freeze(cloud, random_chance(random, 20));
        break;
    case 8:
        sim_cloud_fault_boot(cloud, 50 + random_below(random, 400));
        break;
    default:
        sim_cloud_fault_consistency(cloud, SECONDS(random_below(random, 20)));
        break;
    }
}

// A minute: reads the prices, then makes random steps at random times.
static void live_a_minute(Book *book) {
    Random *random = &book->random;
    uint32_t acts = random_below(random, 8), percent = 20 + random_below(random, 400);

    if (random_chance(random, 20))
        sim_cloud_fault_price(book->cloudlet->cloud, draw_filter(book), percent);
    note_prices(book);
    for (uint32_t i = 0; i < acts; i++) {
        uint32_t drawn = random_below(random, 100);

        if (drawn < 45)
            do_launch(book);
        else if (drawn < 55)
            do_launch_again(book);
        else if (drawn < 80)
            do_terminate(book);
        else
            do_fault(book);
        if (random_chance(random, 50))
            cluster_run(book->cloudlet->world, MINUTES(1) / 8 - (int64_t)random_below(random, 1000000));
    }
    world_run(book->cloudlet->world, book->start_ns + MINUTES(book->minutes));
}

static void end_all(Book *book) {
    SimCloud *cloud = book->cloudlet->cloud;
    CloudInstanceVec instances = {0};

    sim_cloud_fault_freeze(cloud, false);
    sim_cloud_fault_api_errors(cloud, 0);
    sim_cloud_fault_throttle(cloud, 100);
    for (uint32_t minute = 0; minute < 20; minute++) {
        note_prices(book);
        for (uint32_t i = 0; i < book->launched && minute == 10; i++)
            cloud_terminate(book->cloudlet->table, book->ids[i], NULL);
        world_run(book->cloudlet->world, book->start_ns + MINUTES(book->minutes));
    }
    for (uint32_t i = 0; i < book->launched; i++)
        assert_int_equal(book->entries[i].state, SIM_INSTANCE_TERMINATED);
    assert_int_equal(cloud_list(book->cloudlet->table, &book->cloudlet->arena, &instances, NULL), OK);
    assert_int_equal(instances.count, 0);
}

static void live(uint64_t seed, uint32_t *ret_launched, uint32_t *ret_lost, uint64_t *hash) {
    Book *book = calloc(1, sizeof *book);
    SimCloudConfig config = {.boot = {SECONDS(5), SECONDS(40)},
                             .consistency = {1, SECONDS(4)},
                             .spot_depth = seed % 3 ? 6 : 0,
                             .on_demand_depth = seed % 2 ? 8 : 0,
                             .price_step_ns = MINUTES(10),
                             .price_swing_percent = 60,
                             .spot_life_ns = seed % 4 ? MINUTES(90) : 0};

    assert_non_null(book);
    book->cloudlet = cloudlet_new(seed, config);
    book->random = world_random(book->cloudlet->world, "test");
    book->start_ns = book_now(book);
    sim_cloud_on_change(book->cloudlet->cloud, note_change, book);
    for (uint32_t step = 0; step < STEPS; step++) {
        live_a_minute(book);
        compare_pools(book);
        if (step % 16 == 0)
            compare_bill(book);
    }
    end_all(book);
    compare_pools(book);
    compare_bill(book);
    *hash = hash_combine(*hash, (uint64_t)sim_cloud_bill(book->cloudlet->cloud).nano_dollars);
    *ret_launched += book->launched;
    *ret_lost += book->lost;
    cloudlet_free(book->cloudlet);
    free(book);
}

TEST(random_days_balance) {
    const char *asked = getenv("TENON_SEEDS");
    uint32_t seeds = asked ? (uint32_t)strtoul(asked, NULL, 10) : 12, launched = 0, lost = 0;
    uint64_t hash = 0;

    for (uint64_t seed = 1; seed <= seeds; seed++) {
        print_message("seed %" PRIu64 "\n", seed);
        live(seed, &launched, &lost, &hash);
    }
    print_message("%u seeds: %u instances, %u launches without one, hash %" PRIx64 "\n", seeds, launched, lost, hash);
    assert_true(launched > 50 * seeds);
    assert_true(lost > 0);
}
