// Budgets: how a solve ends, and its result then. docs/plan.md "Price", docs/run.md "Planning".
#include "base/buffer.h"
#include "base/time.h"
#include "harness/test.h"
#include "sched/budget.h"
#include "sched/support/plan_check.h"
#include "sched/support/random_world.h"
#include "sched/support/trial.h"

#include <math.h>
#include <stdio.h>

AFTER_EACH(random_teardown);

// --- the budget itself

// A clock that the test sets, or that advances by `step` at each reading.
typedef struct {
    int64_t now_ns, step_ns;
    uint32_t reads;
} FakeClock;

static int64_t read_clock(void *context) {
    FakeClock *clock = context;

    clock->reads++;
    clock->now_ns += clock->step_ns;
    return clock->now_ns;
}

TEST(a_budget_without_an_end_never_is_over_and_reads_no_clock) {
    FakeClock clock = {0};
    PlanSearch asked = {.now_ns = read_clock, .now_context = &clock};
    Budget budget;

    budget_init(&budget, &asked);
    assert_true(budget_spend(&budget, UINT64_C(1) << 60));
    budget_begin_search(&budget);
    assert_true(budget_spend(&budget, UINT64_C(1) << 60));
    assert_false(budget_has_deadline(&budget));
    assert_int_equal(clock.reads, 0);
}

TEST(steps_end_a_solve_exactly) {
    PlanSearch asked = {.deadline_steps = 1000000};
    Budget budget;

    budget_init(&budget, &asked);
    for (uint32_t i = 1; i < 1000; i++)
        assert_true(budget_spend(&budget, 1000));
    assert_false(budget_spend(&budget, 1000));
    assert_int_equal(budget.end, BUDGET_DEADLINE);
    assert_true(fabs(budget_used(&budget) - 1) < 1e-9);
}

TEST(time_to_search_ends_the_search_and_not_what_must_be_done) {
    FakeClock clock = {0};
    PlanSearch asked = {.budget_ns = 8 * NS_PER_MS, .now_ns = read_clock, .now_context = &clock};
    Budget budget;

    budget_init(&budget, &asked);
    clock.now_ns = 7 * NS_PER_MS; // seven eighths: the rest is for the proof
    assert_true(budget_spend(&budget, UINT64_C(1) << 40));
    budget_begin_search(&budget);
    assert_true(budget_is_over(&budget));
    budget_begin_proof(&budget);
    assert_false(budget_is_over(&budget));
    clock.now_ns = 8 * NS_PER_MS;
    assert_false(budget_spend(&budget, UINT64_C(1) << 40));
}

TEST(a_part_ends_before_the_whole) {
    PlanSearch asked = {.deadline_steps = 1000};
    Budget budget;

    budget_init(&budget, &asked);
    budget_begin_part(&budget, 10);
    assert_true(budget_spend(&budget, 9));
    assert_false(budget_spend(&budget, 1));
    budget_end_part(&budget);
    assert_true(budget_spend(&budget, 1));
    budget_begin_share(&budget, 0.5);
    assert_true(budget_spend(&budget, 499));
    assert_false(budget_spend(&budget, 1));
    budget_end_part(&budget);
    assert_true(budget_spend(&budget, 488));
    assert_false(budget_spend(&budget, 1));
}

TEST(a_flag_cancels_whatever_time_is_left) {
    atomic_bool cancelled = false;
    PlanSearch asked = {.cancelled = &cancelled};
    Budget budget;

    budget_init(&budget, &asked);
    assert_true(budget_spend(&budget, BUDGET_STEPS_PER_US * 1000));
    atomic_store(&cancelled, true);
    assert_false(budget_spend(&budget, BUDGET_STEPS_PER_US * 1000));
    assert_int_equal(budget.end, BUDGET_CANCELLED);
}

// --- efforts

static uint32_t left_over(const Plan *plan) {
    return plan->unplaced.count;
}

// More effort places no fewer pods, and as many at no higher price.
static void assert_no_worse(World *world, const Plan *more, const Plan *less) {
    if (left_over(more) > left_over(less) ||
        (left_over(more) == left_over(less) && more->price_per_hour > less->price_per_hour + 1e-9))
        fail_msg("$%.6f with %u left over is worse than $%.6f with %u:\n%s\n%s", more->price_per_hour, left_over(more),
                 less->price_per_hour, left_over(less), plan_text(world, more), plan_text(world, less));
}

static void compare_efforts(World *world, Random *random) {
    FakeClock clock = {.step_ns = NS_PER_MS};
    PlanSearch by_time = {.effort = EFFORT_BEST, .now_ns = read_clock, .now_context = &clock};
    Plan fast, timed, normal, best;

    (void)world_plan(world);
    fast = world_effort(world, EFFORT_FAST);
    normal = world_effort(world, EFFORT_NORMAL);
    best = world_effort(world, EFFORT_BEST);
    by_time.budget_ns = (1 + random_below(random, 50)) * NS_PER_MS;
    timed = world_search(world, by_time);
    assert_no_worse(world, &normal, &fast);
    assert_no_worse(world, &best, &normal);
    assert_no_worse(world, &timed, &fast);
}

TEST(more_effort_never_costs_more) {
    each_random_world(60, RANDOM_ALL, compare_efforts);
    each_random_world(30, RANDOM_ALL & ~RANDOM_LIMITS, compare_efforts);
}

// The clock advances by a millisecond per reading, so the time counts the readings: not many more than the budget has
// milliseconds.
TEST_F(World, w, a_budget_in_time_is_one_for_the_whole_solve) {
    FakeClock clock = {.step_ns = NS_PER_MS};
    PlanSearch by_time = {
        .effort = EFFORT_BEST, .budget_ns = 100 * NS_PER_MS, .now_ns = read_clock, .now_context = &clock};

    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 40, .requests = "cpu: 1300m");
    world_pods(w, .name = "api", .count = 30, .requests = "cpu: 700m, memory: 3Gi");
    (void)world_plan(w);
    (void)world_search(w, by_time);
    // Each of the 46 attempts, and each strategy, reads the clock at its beginning and end for the timings.
    assert_true(clock.now_ns < 100 * NS_PER_MS + 60 * NS_PER_MS);
}

// First fit places the large pod first and then two of the others; the order by freedom places all of the others.
static void fill_short_pool(World *w, const char *spec_of_large) {
    world_type(w, .name = "ten", .capacity = "cpu: 10, memory: 64Gi, pods: 40", .price = 0.5);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"), .spec = "limits: {cpu: 10}");
    world_object(w, "apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000");
    world_pods(w, .name = "large", .requests = "cpu: 8", .spec = spec_of_large);
    world_pods(w, .name = "small", .count = 10, .labels = "app: small", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(HOST, 20, "app: small", "")));
    (void)world_plan(w);
}

TEST_F(World, w, a_plan_that_places_more_pods_is_kept_though_it_leaves_out_one_that_first_fit_places) {
    Plan plan;

    fill_short_pool(w, NULL);
    plan = world_strategy(w, STRATEGY_FIRST_FIT);
    assert_int_equal(plan_pods(&plan), 3);
    plan = world_effort(w, EFFORT_NORMAL);
    assert_int_equal(plan_pods(&plan), 10);
}

TEST_F(World, w, the_plan_that_places_the_pods_of_higher_priority_is_kept) {
    fill_short_pool(w, "priorityClassName: high");
    assert_int_equal(world_plan(w)->unplaced.count, 8);
    assert_string_equal(world_place(w, "large"), "default-1");
}

// --- deadlines

// Adds a class with so many rules that its verdicts take long.
static void add_dear_pods(World *world, uint32_t rules) {
    Buffer spec = {0};

    buffer_printf(&spec, "topologySpreadConstraints: [");
    for (uint32_t i = 0; i < rules; i++)
        buffer_printf(&spec, "%s" SKEW_ANYWAY("example.com/k%u", 1, "app: dear"), i ? ", " : "", i);
    buffer_printf(&spec, "]%c", '\0');
    world_pods(world, .name = "dear", .count = 3, .labels = "app: dear", .requests = "cpu: 1", .spec = spec.bytes);
    buffer_free(&spec);
}

static uint32_t count_aside(const Plan *plan) {
    uint32_t count = 0;

    for (vec_each(const UnplacedPod, unplaced, &plan->unplaced))
        count += unplaced->aside;
    return count;
}

TEST_F(World, w, pods_that_take_too_long_are_set_aside_and_the_others_are_planned) {
    Plan plan;

    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 40, .requests = "cpu: 1");
    world_pods(w, .name = "api", .count = 20, .requests = "cpu: 500m");
    add_dear_pods(w, 100);
    (void)world_plan(w);
    // Without a deadline no class is set aside.
    plan = world_search(w, (PlanSearch){.effort = EFFORT_FAST});
    assert_int_equal(plan.unplaced.count, 0);
    plan = world_search(w, (PlanSearch){.effort = EFFORT_FAST, .deadline_steps = 500 * BUDGET_STEPS_PER_US});
    assert_int_equal(count_aside(&plan), 3);
    assert_int_equal(plan.unplaced.count, 3);
    assert_int_equal(plan_pods(&plan), 60);
}

TEST_F(World, w, a_pod_tried_alone_has_the_whole_deadline) {
    PlanSearch search = {.effort = EFFORT_FAST, .deadline_steps = UINT64_C(4000000) * BUDGET_STEPS_PER_US};
    Plan plan;

    world_pool(w, .name = "default");
    add_dear_pods(w, 60);
    (void)world_plan(w);
    search.patient = true;
    plan = world_search(w, search);
    assert_int_equal(plan.unplaced.count, 0);
    assert_false(plan.cut_short);
}

// The plan is valid whenever the solve is ended.
static void cut_short(World *world, Random *random) {
    const Plan *whole = world_plan(world);
    uint32_t most = whole->unplaced.count;

    for (uint64_t steps = 1000; steps < UINT64_C(1) << 34; steps *= 2 + random_below(random, 6)) {
        Plan plan = world_search(world, (PlanSearch){.deadline_steps = steps});
        uint32_t given = plan_pods(&plan) + plan.unplaced.count;

        assert_int_equal(given, world_input(world)->pending.count);
        assert_plan_holds(world, &plan);
        most = plan.unplaced.count;
    }
    assert_int_equal(most, whole->unplaced.count);
}

TEST(a_plan_that_is_cut_short_anywhere_is_a_plan) {
    each_random_world(40, RANDOM_ALL, cut_short);
}

TEST_F(World, w, a_cancelled_solve_gives_an_empty_plan) {
    atomic_bool cancelled = true;
    Plan plan;

    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 40, .requests = "cpu: 1");
    (void)world_plan(w);
    plan = world_search(w, (PlanSearch){.cancelled = &cancelled});
    assert_true(plan.cancelled);
    assert_int_equal(plan.claims.count, 0);
    assert_int_equal(plan.unplaced.count, 40);
}

// A flag of cancellation that the clock sets when it is read for the n-th time.
typedef struct {
    atomic_bool flag;
    uint32_t reads, at;
} CancelAt;

static int64_t read_and_cancel(void *context) {
    CancelAt *cancel = context;

    if (++cancel->reads == cancel->at)
        atomic_store(&cancel->flag, true);
    return cancel->reads;
}

static void cancel_anywhere(World *world, Random *random) {
    (void)world_plan(world);
    for (int i = 0; i < 6; i++) {
        CancelAt cancel = {.at = 1 + random_below(random, 300)};
        Plan plan = world_search(world, (PlanSearch){.effort = EFFORT_BEST,
                                                     .budget_ns = NS_PER_HOUR,
                                                     .deadline_steps = UINT64_C(1) << 27,
                                                     .cancelled = &cancel.flag,
                                                     .now_ns = read_and_cancel,
                                                     .now_context = &cancel});

        assert_true(plan.cancelled || cancel.reads < cancel.at || !plan.claims.count || plan.cut_short);
    }
}

TEST(a_solve_can_be_cancelled_anywhere) {
    each_random_world(15, RANDOM_ALL, cancel_anywhere);
}
