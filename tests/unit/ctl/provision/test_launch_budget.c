// Launch budgets: windows, waves, closing. Numbers: ctl/provision/launch_budget.h.
#include "ctl/provision/launch_budget.h"
#include "durations.h"
#include "harness/test.h"

static const LaunchOffering m5 = {.pool = 1, .type = 2, .capacity_type = 3};
static const LaunchOffering c5 = {.pool = 1, .type = 4, .capacity_type = 3};

static LaunchVerdict ask(LaunchBudgets *budgets, LaunchOffering offering, int64_t now_ns) {
    Mono until;

    return launch_budget_ask(budgets, offering, AT(now_ns), &until);
}

// Takes as many launches as are allowed now.
static uint32_t take_all(LaunchBudgets *budgets, LaunchOffering offering, int64_t now_ns) {
    uint32_t taken = 0;

    for (; ask(budgets, offering, now_ns) == LAUNCH_ALLOWED; taken++)
        launch_budget_take(budgets, offering);
    return taken;
}

TEST(a_hundred_launches_of_one_offering_at_once) {
    LaunchBudgets budgets = {0};

    assert_int_equal(take_all(&budgets, m5, NS_PER_S), 100);
    assert_int_equal(ask(&budgets, m5, NS_PER_S), LAUNCH_WINDOW_FULL);
    assert_int_equal(take_all(&budgets, c5, NS_PER_S), 100); // another offering of the pool
    launch_budgets_free(&budgets);
}

TEST(each_launch_that_succeeds_widens_the_window_by_one) {
    LaunchBudgets budgets = {0};

    take_all(&budgets, m5, NS_PER_S);
    for (uint32_t i = 0; i < 100; i++)
        launch_budget_launched(&budgets, m5);
    assert_int_equal(take_all(&budgets, m5, NS_PER_S), 200);
    launch_budgets_free(&budgets);
}

TEST(the_window_never_exceeds_a_thousand) {
    LaunchBudgets budgets = {0};

    for (uint32_t i = 0; i < 3000; i++) {
        launch_budget_take(&budgets, m5);
        launch_budget_launched(&budgets, m5);
    }
    assert_int_equal(take_all(&budgets, m5, NS_PER_S), LAUNCH_MAX);
    launch_budgets_free(&budgets);
}

TEST(a_failure_closes_the_offering_and_leaves_a_window_of_one) {
    LaunchBudgets budgets = {0};
    Random random;
    Mono until;

    random_seed(&random, 1);
    launch_budget_take(&budgets, m5);
    launch_budget_failed(&budgets, m5, AT(10 * NS_PER_S), AT(12 * NS_PER_S), &random);
    assert_int_equal(launch_budget_ask(&budgets, m5, AT(12 * NS_PER_S), &until), LAUNCH_CLOSED);
    assert_true(until.ns >= 27 * NS_PER_S && until.ns <= 12 * NS_PER_S + 16500 * NS_PER_MS);
    assert_int_equal(ask(&budgets, m5, until.ns - 1), LAUNCH_CLOSED);
    assert_int_equal(take_all(&budgets, m5, until.ns), 1);
    launch_budgets_free(&budgets);
}

TEST(the_failures_of_one_wave_count_once) {
    LaunchBudgets budgets = {0};
    Random random;

    random_seed(&random, 1);
    take_all(&budgets, m5, 10 * NS_PER_S);
    for (uint32_t i = 0; i < 100; i++)
        launch_budget_failed(&budgets, m5, AT(10 * NS_PER_S), AT(12 * NS_PER_S + i), &random);
    assert_int_equal(launch_budget_find(&budgets, m5)->failures, 1);
    assert_int_equal(launch_budget_find(&budgets, m5)->on_way, 0);
    assert_int_equal(launch_budget_find(&budgets, (LaunchOffering){.pool = 1})->window, LAUNCH_MAX / 2);
    launch_budgets_free(&budgets);
}

TEST(waves_double_the_time_up_to_ten_minutes) {
    static const int64_t seconds[] = {15, 30, 60, 120, 240, 480, 600, 600, 600};
    LaunchBudgets budgets = {0};
    Random random;
    int64_t now = NS_PER_S;

    random_seed(&random, 1);
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        int64_t until;

        launch_budget_take(&budgets, m5);
        launch_budget_failed(&budgets, m5, AT(now), AT(now + NS_PER_S), &random);
        until = launch_budget_find(&budgets, m5)->closed_until.ns - now - NS_PER_S;
        assert_true(until >= seconds[i] * NS_PER_S && until <= seconds[i] * NS_PER_S * 11 / 10);
        now = launch_budget_find(&budgets, m5)->closed_until.ns;
    }
    launch_budgets_free(&budgets);
}

TEST(a_success_opens_again) {
    LaunchBudgets budgets = {0};
    Random random;

    random_seed(&random, 1);
    launch_budget_take(&budgets, m5);
    launch_budget_failed(&budgets, m5, AT(NS_PER_S), AT(2 * NS_PER_S), &random);
    launch_budget_take(&budgets, m5);
    launch_budget_launched(&budgets, m5);
    assert_int_equal(launch_budget_find(&budgets, m5)->failures, 0);
    assert_int_equal(take_all(&budgets, m5, 3 * NS_PER_S), 2);
    launch_budgets_free(&budgets);
}

// users.md #19: 2,700 NodeClaims in 90 minutes for one offering that is sold out.
TEST(an_offering_that_is_sold_out_gets_few_launches_in_ninety_minutes) {
    LaunchBudgets budgets = {0};
    Random random;
    uint32_t launches = 0;

    random_seed(&random, 7);
    for (int64_t now = NS_PER_S; now < 5400 * NS_PER_S; now += 2 * NS_PER_S) {
        uint32_t taken = take_all(&budgets, m5, now);

        for (uint32_t i = 0; i < taken; i++)
            launch_budget_failed(&budgets, m5, AT(now), AT(now + NS_PER_S), &random);
        launches += taken;
    }
    assert_true(launches >= 100 && launches < 120);
    launch_budgets_free(&budgets);
}

// All offerings are sold out: the pool's two hundred offerings do not each get a wave.
TEST(a_pool_that_gets_nothing_is_throttled_as_a_whole) {
    LaunchBudgets budgets = {0};
    Random random;
    uint32_t launches = 0;

    random_seed(&random, 7);
    for (int64_t now = NS_PER_S; now < 5400 * NS_PER_S; now += 2 * NS_PER_S) {
        uint32_t taken[200] = {0};

        for (uint32_t i = 0; i < 200; i++) {
            LaunchOffering offering = {.pool = 1, .type = 10 + i, .capacity_type = 3};

            taken[i] = take_all(&budgets, offering, now);
            launches += taken[i];
        }
        for (uint32_t i = 0; i < 200; i++) {
            for (uint32_t j = 0; j < taken[i]; j++)
                launch_budget_failed(&budgets, (LaunchOffering){.pool = 1, .type = 10 + i, .capacity_type = 3}, AT(now),
                                     AT(now + NS_PER_S), &random);
        }
    }
    // 1,000 + 500 + 62 + 8 of the first waves, one try of each other offering, and then 8 in two minutes.
    assert_true(launches >= 1200 && launches < 1570 + 200 + 8 * 45);
    launch_budgets_free(&budgets);
}

// A pool whose GPU type is sold out is closed for that type only.
TEST(a_closed_pool_lets_an_offering_that_never_failed_pass) {
    LaunchBudgets budgets = {0};
    const LaunchBudget *pool;
    Random random;
    int64_t now = NS_PER_S;

    random_seed(&random, 1);
    for (uint32_t i = 0; i < LAUNCH_POOL_WAVES + 2; i++) {
        launch_budget_take(&budgets, m5);
        launch_budget_failed(&budgets, m5, AT(now), AT(now + NS_PER_S), &random);
        now += 2 * NS_PER_S;
    }
    pool = launch_budget_find(&budgets, (LaunchOffering){.pool = 1});
    assert_true(pool->closed_until.ns > now);
    assert_int_equal(ask(&budgets, m5, now), LAUNCH_CLOSED);
    assert_int_equal(take_all(&budgets, c5, now), 1);
    launch_budget_launched(&budgets, c5); // and opens it
    pool = launch_budget_find(&budgets, (LaunchOffering){.pool = 1});
    assert_int_equal(pool->closed_until.ns, 0);
    assert_int_equal(pool->failures, 0);
    launch_budgets_free(&budgets);
}

TEST(failures_among_launches_halve_the_window_of_the_pool) {
    LaunchBudgets budgets = {0};
    Random random;

    random_seed(&random, 1);
    launch_budget_take(&budgets, m5);
    launch_budget_failed(&budgets, m5, AT(NS_PER_S), AT(2 * NS_PER_S), &random);
    assert_int_equal(launch_budget_find(&budgets, (LaunchOffering){.pool = 1})->window, LAUNCH_MAX / 2);
    launch_budget_take(&budgets, c5);
    launch_budget_launched(&budgets, c5);
    launch_budget_take(&budgets, m5);
    launch_budget_failed(&budgets, m5, AT(3 * NS_PER_S), AT(4 * NS_PER_S), &random);
    assert_int_equal(launch_budget_find(&budgets, (LaunchOffering){.pool = 1})->window,
                     (LAUNCH_MAX / 2 + LAUNCH_MAX / 16 + 1) / 2);
    assert_int_equal(launch_budget_find(&budgets, (LaunchOffering){.pool = 1})->closed_until.ns, 0);
    launch_budgets_free(&budgets);
}
