// Changes: undoing one restores the solver, and a kept one leaves correct counts.
#include "harness/test.h"
#include "sched/bin/claim_price.h"
#include "sched/place/change.h"
#include "sched/place/first_fit.h"
#include "sched/place/marginal.h"
#include "sched/place/marginal_state.h"
#include "sched/support/random_world.h"
#include "sched/support/solver_text.h"

#include <math.h>
#include <stdio.h>

AFTER_EACH(random_teardown);

// --- random changes

typedef struct {
    uint32_t class, variant, count, bin, state;
} Taken;

typedef struct {
    Trial *trial;
    Solver *solver;
    Random *random;
    Change change;
    Taken taken[8];
    uint32_t count;
    bool to_keep; // only changes that improvement may keep
} Tester;

static uint32_t below(Tester *tester, uint32_t bound) {
    return random_below(tester->random, bound);
}

// Not from bins with a count that was decided by the types left.
static bool may_take(const Tester *tester, const Bin *bin) {
    return !tester->to_keep || !bin->pool || (!bin->undecided.count && !bin->decided && !bin->pool->charge_largest);
}

static void take_some(Tester *tester) {
    Solver *solver = tester->solver;
    uint32_t number = below(tester, solver->bins.count), entry, count;
    const Bin *bin = &solver->bins.items[number];

    if (!bin->pods.count || tester->count == 8)
        return;
    entry = below(tester, bin->pods.count);
    if (!may_take(tester, bin))
        return;
    count = 1 + below(tester, bin->pods.items[entry].count);
    tester->taken[tester->count++] =
        (Taken){bin->pods.items[entry].class, bin->pods.items[entry].variant, count, number, bin->state};
    change_take(&tester->change, number, entry, count);
}

// Moves the pods that were taken by random rules; the number of those without a place.
static uint32_t move_all(Tester *tester) {
    static const float prices[] = {0, 0.1F, 1, INFINITY};
    uint32_t left = 0;

    for (uint32_t i = 0; i < tester->count; i++) {
        const Taken *taken = &tester->taken[i];
        MoveRules rules = {INDEX_NONE, LABEL_STATE_NONE, INT32_MIN, prices[below(tester, 4)]};
        bool later = false;
        uint32_t placed;

        if (below(tester, 2))
            rules.from = taken->bin;
        if (below(tester, 3) == 0)
            rules.state = taken->state;
        placed = marginal_move(tester->solver, taken->class, taken->variant, taken->count, &rules);
        if (placed < taken->count && below(tester, 3) == 0)
            placed += first_fit_place(tester->solver, taken->class, taken->variant, taken->count - placed, &later);
        left += taken->count - placed;
    }
    return left;
}

static void check_cost(Tester *tester, double before) {
    double cost = change_cost(&tester->change), after = trial_price(tester->trial);

    if (cost < INFINITY)
        assert_true(fabs(after - before - cost) < 1e-9);
}

static void begin(Tester *tester) {
    tester->count = 0;
    change_begin(&tester->change, tester->solver);
    for (uint32_t takes = 1 + below(tester, 4); takes > 0; takes--)
        take_some(tester);
}

static Tester prepare(World *world, Random *random, bool to_keep) {
    Tester tester = {.trial = trial_begin(world), .random = random, .to_keep = to_keep};

    tester.solver = &tester.trial->solver;
    trial_place(tester.trial, (Strategy)random_below(random, STRATEGY_PATTERNS));
    marginal_renew(tester.solver);
    return tester;
}

static void finish(Tester *tester) {
    change_free(&tester->change);
    trial_end(tester->trial);
}

static bool has_claims(const Tester *tester) {
    return tester->solver->bins.count > tester->solver->node_count;
}

// --- undone

static void undo_some(World *world, Random *random) {
    Tester tester = prepare(world, random, false);
    const char *before = solver_text(tester.trial);

    for (int round = 0; round < 40 && has_claims(&tester); round++) {
        double price = trial_price(tester.trial);

        begin(&tester);
        move_all(&tester);
        check_cost(&tester, price);
        change_undo(&tester.change);
        assert_string_equal(solver_text(tester.trial), before);
    }
    finish(&tester);
}

TEST(nothing_is_left_of_a_change_that_is_taken_back) {
    each_random_world(60, RANDOM_ALL, undo_some);
    each_random_world(60, RANDOM_ALL & ~RANDOM_LIMITS, undo_some);
}

// The bin index is restored too: the same pods find the same places as with a new index.
static void look_again(World *world, Random *random) {
    Tester tester = prepare(world, random, false);

    for (int round = 0; round < 10 && has_claims(&tester); round++) {
        Random again = *random;
        const char *one;

        begin(&tester);
        move_all(&tester);
        one = solver_text(tester.trial);
        change_undo(&tester.change);
        *random = again;
        marginal_renew(tester.solver);
        begin(&tester);
        move_all(&tester);
        assert_string_equal(solver_text(tester.trial), one);
        change_undo(&tester.change);
    }
    finish(&tester);
}

TEST(bins_are_found_as_before_after_a_change_is_taken_back) {
    each_random_world(60, RANDOM_ALL, look_again);
}

// --- kept

static void keep_some(World *world, Random *random) {
    Tester tester = prepare(world, random, true);

    assert_counts_add_up(tester.trial);
    for (int round = 0; round < 40 && has_claims(&tester); round++) {
        uint32_t left;

        begin(&tester);
        left = move_all(&tester);
        if (left || change_cost(&tester.change) == INFINITY || below(&tester, 3) == 0)
            change_undo(&tester.change);
        else
            change_keep(&tester.change);
        assert_counts_add_up(tester.trial);
    }
    finish(&tester);
}

TEST(counts_add_up_after_changes_that_are_kept) {
    each_random_world(80, RANDOM_ALL, keep_some);
    each_random_world(40, RANDOM_TOPOLOGY | RANDOM_SELECTORS, keep_some);
}

// --- by hand

static Bin *first_claim(Trial *trial) {
    return &trial->solver.bins.items[trial->solver.node_count];
}

static uint32_t entry_of(const Trial *trial, const Bin *bin, const char *name) {
    for (uint32_t i = 0; i < bin->pods.count; i++) {
        const PodClass *class = &trial->solver.classes.classes.items[bin->pods.items[i].class];

        if (slice_starts_with(symbol_text(trial->solver.universe.symbols, class->pod->name), slice_of(name)))
            return i;
    }
    fail_msg("no pod %s", name);
    return 0;
}

static double price_of(Trial *trial, const Bin *bin) {
    return claim_price(&trial->solver, bin, bin->rows, NULL, NULL);
}

static bool near(double a, double b) {
    return fabs(a - b) < 1e-9;
}

// 6 CPUs need a large node ($0.24 spot); without the pod of 4 a small one would do ($0.06).
TEST_F(World, w, a_claim_shrinks_when_pods_leave) {
    Change change = {0};
    Trial *trial;

    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 4");
    world_pods(w, .name = "api", .count = 2, .requests = "cpu: 1");
    trial = trial_begin(w);
    trial_place(trial, STRATEGY_FIRST_FIT);
    marginal_renew(&trial->solver);
    assert_true(near(price_of(trial, first_claim(trial)), 0.24));

    change_begin(&change, &trial->solver);
    change_take(&change, 0, entry_of(trial, first_claim(trial), "web"), 1);
    assert_true(near(price_of(trial, first_claim(trial)), 0.06));
    assert_true(near(change_cost(&change), -0.18));
    assert_int_equal(first_claim(trial)->pod_count, 2);

    change_undo(&change);
    assert_true(near(price_of(trial, first_claim(trial)), 0.24));
    change_free(&change);
    trial_end(trial);
}

TEST_F(World, w, an_empty_claim_is_none_and_gives_its_limits_back) {
    Change change = {0};
    Trial *trial;

    world_pool(w, .name = "default", .spec = "limits: {cpu: 200, nodes: 1}"); // enough for the expected types
    world_pods(w, .name = "web", .requests = "cpu: 3");
    trial = trial_begin(w);
    trial_place(trial, STRATEGY_FIRST_FIT);
    marginal_renew(&trial->solver);
    assert_int_equal(trial->solver.pools.items[0].nodes_left, 0);

    change_begin(&change, &trial->solver);
    change_take(&change, 0, 0, 1);
    assert_true(first_claim(trial)->gone);
    assert_int_equal(trial->solver.pools.items[0].nodes_left, 1);
    assert_true(near(change_cost(&change), -0.12));
    change_keep(&change);

    assert_true(near(trial_price(trial), 0));
    assert_int_equal(trial_plan(trial).claims.count, 0);
    assert_counts_add_up(trial);
    change_free(&change);
    trial_end(trial);
}

// Cheaper, but larger in the limited resource.
TEST_F(World, w, a_change_that_breaks_a_limit_costs_infinitely_much) {
    Change change = {0};
    Trial *trial;

    world_type(w, .name = "wide", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.4);
    world_type(w, .name = "deep", .capacity = "cpu: 2, memory: 16Gi, pods: 10", .price = 0.1);
    world_pool(w, .name = "default", .spec = "limits: {memory: 14Gi}");
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 1");
    trial = trial_begin(w);
    trial_place(trial, STRATEGY_FIRST_FIT);
    marginal_renew(&trial->solver);
    trial->solver.pools.items[0].charge_largest = false; // as if the limits were ample

    change_begin(&change, &trial->solver);
    change_take(&change, 0, 0, 2);
    assert_true(change_cost(&change) == INFINITY);
    change_undo(&change);
    assert_true(near(trial_price(trial), 0.24));
    change_free(&change);
    trial_end(trial);
}

TEST_F(World, w, a_reservation_taken_by_a_change_is_free_again) {
    MoveRules anywhere = {INDEX_NONE, LABEL_STATE_NONE, 0, INFINITY};
    Change change = {0};
    Trial *trial;

    world_type(w, .name = "booked", .capacity = "cpu: 4, memory: 8Gi, pods: 1", .zones = "");
    world_offering(w, .type = "booked", .zone = "a", .capacity_type = "reserved", .price = 0, .reservation = "cr-1",
                   .count = 2);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 3");
    trial = trial_begin(w);
    trial_place(trial, STRATEGY_FIRST_FIT);
    marginal_renew(&trial->solver);
    assert_int_equal(trial->solver.reservations.items[0].left, 1);

    change_begin(&change, &trial->solver);
    change_take(&change, 0, 0, 1);
    assert_int_equal(trial->solver.reservations.items[0].left, 2);
    assert_int_equal(marginal_move(&trial->solver, 0, 0, 1, &anywhere), 1);
    assert_int_equal(trial->solver.reservations.items[0].left, 1);
    change_undo(&change);
    assert_int_equal(trial->solver.reservations.items[0].left, 1);
    change_free(&change);
    trial_end(trial);
}

// A claim was opened although a node has room: its pod moves to the node and back.
TEST_F(World, w, room_of_a_node_taken_by_a_change_is_free_again) {
    MoveRules anywhere = {INDEX_NONE, LABEL_STATE_NONE, 0, INFINITY};
    Change change = {0};
    const char *before;
    Trial *trial;

    world_pool(w, .name = "default");
    world_node(w, .name = "n-1", .allocatable = "cpu: 4, memory: 8Gi, pods: 10");
    world_pods(w, .name = "web", .requests = "cpu: 3, memory: 1Gi");
    trial = trial_begin(w);
    trial_clear(trial);
    assert_int_equal(trial_open(trial, "default", "web"), 1);
    marginal_renew(&trial->solver);
    before = solver_text(trial);

    change_begin(&change, &trial->solver);
    change_take(&change, 1, 0, 1);
    assert_int_equal(marginal_move(&trial->solver, 0, 0, 1, &anywhere), 1);
    assert_int_equal(trial->solver.bins.items[0].pod_count, 1);
    assert_true(near(change_cost(&change), -0.12)); // the node exists and costs nothing
    change_undo(&change);
    assert_string_equal(solver_text(trial), before);

    change_begin(&change, &trial->solver); // there is room for it again
    change_take(&change, 1, 0, 1);
    assert_int_equal(marginal_move(&trial->solver, 0, 0, 1, &anywhere), 1);
    change_keep(&change);
    assert_counts_add_up(trial);
    assert_int_equal(trial_plan(trial).claims.count, 0);
    change_free(&change);
    trial_end(trial);
}
