// Budgets of NodePools: reference lifecycle.md 4.4, changes.md 1.2.
#include "base/time.h"
#include "disrupt/budget.h"
#include "harness/test.h"
#include "model/support/read.h"
#include "text/duration.h"

#include <stdio.h>

static TestCluster *cluster;

static void end(void) {
    if (cluster)
        test_cluster_free(cluster);
    cluster = NULL;
}

AFTER_EACH(end);

// A pool whose spec.disruption is `disruption`.
static const NodePool *pool_with(const char *disruption) {
    char text[1000];

    snprintf(text, sizeof text,
             "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec:\n  disruption: %s\n"
             "  template: {spec: {nodeClassRef: {group: g.x, kind: K, name: x}, requirements: []}}\n",
             disruption);
    end();
    cluster = test_cluster_read(text);
    return test_pool(cluster, "p");
}

static int64_t at(const char *time) {
    int64_t ns;

    assert_int_equal(time_parse(slice_of(time), &ns, NULL), OK);
    return ns;
}

static uint32_t allowed(const char *disruption, DisruptionReason reason, uint32_t total) {
    return budget_allowed(pool_with(disruption), reason, total, at("2026-11-23T10:30:00Z")); // a Monday
}

TEST(without_budgets_a_tenth_may_go) {
    assert_int_equal(allowed("{}", DISRUPTION_EMPTY, 100), 10);
    assert_int_equal(allowed("null", DISRUPTION_EMPTY, 100), 10);
    assert_int_equal(allowed("{budgets: null}", DISRUPTION_EMPTY, 100), 10);
}

TEST(an_empty_list_is_no_limit) {
    assert_int_equal(allowed("{budgets: []}", DISRUPTION_DRIFTED, 3), BUDGET_UNLIMITED);
}

TEST(a_percentage_rounds_up) {
    assert_int_equal(allowed("{budgets: [{nodes: 10%}]}", DISRUPTION_EMPTY, 1), 1);
    assert_int_equal(allowed("{budgets: [{nodes: 10%}]}", DISRUPTION_EMPTY, 10), 1);
    assert_int_equal(allowed("{budgets: [{nodes: 10%}]}", DISRUPTION_EMPTY, 11), 2);
    assert_int_equal(allowed("{budgets: [{nodes: 100%}]}", DISRUPTION_EMPTY, 7), 7);
    assert_int_equal(allowed("{budgets: [{nodes: 0%}]}", DISRUPTION_EMPTY, 7), 0);
    assert_int_equal(allowed("{budgets: [{nodes: 10%}]}", DISRUPTION_EMPTY, 0), 0);
}

TEST(a_number_counts_as_it_is) {
    assert_int_equal(allowed("{budgets: [{nodes: '5'}]}", DISRUPTION_EMPTY, 2), 5);
    assert_int_equal(allowed("{budgets: [{nodes: '0'}]}", DISRUPTION_EMPTY, 2), 0);
    assert_int_equal(allowed("{budgets: [{nodes: '99999999999999999999999'}]}", DISRUPTION_EMPTY, 2), BUDGET_UNLIMITED);
    assert_int_equal(allowed("{budgets: [{}]}", DISRUPTION_EMPTY, 100), 10);
}

TEST(the_lowest_budget_that_names_the_reason_holds) {
    const char *budgets = "{budgets: [{nodes: 50%}, {nodes: '3', reasons: [Drifted, Empty]}, {nodes: '7', reasons: "
                          "[Underutilized, Empty]}]}";

    assert_int_equal(allowed(budgets, DISRUPTION_DRIFTED, 100), 3);
    assert_int_equal(allowed(budgets, DISRUPTION_EMPTY, 100), 3);
    assert_int_equal(allowed(budgets, DISRUPTION_UNDERUTILIZED, 100), 7);
    assert_int_equal(allowed(budgets, DISRUPTION_UNHEALTHY, 100), 50);
    assert_int_equal(allowed("{budgets: [{nodes: '0', reasons: [Unhealthy]}]}", DISRUPTION_EMPTY, 1), BUDGET_UNLIMITED);
}

// In the half-open span [time, time + duration).
TEST(a_schedule_makes_a_budget_active_for_its_duration) {
    static const struct {
        const char *time;
        bool active;
    } moments[] = {
        {"2026-11-23T08:59:59Z", false}, {"2026-11-23T09:00:00Z", true},  {"2026-11-23T16:59:59Z", true},
        {"2026-11-23T17:00:00Z", false}, {"2026-11-22T12:00:00Z", false}, // a Sunday
    };
    const NodePool *pool = pool_with("{budgets: [{nodes: '0', schedule: '0 9 * * mon-fri', duration: 8h}]}");

    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        uint32_t got = budget_allowed(pool, DISRUPTION_EMPTY, 10, at(moments[i].time));

        if (got != (moments[i].active ? 0 : BUDGET_UNLIMITED))
            fail_msg("%s: %u", moments[i].time, got);
    }
}

TEST(overlapping_times_of_a_schedule_extend_it) {
    const NodePool *pool = pool_with("{budgets: [{nodes: '1', schedule: '@hourly', duration: 90m}]}");

    assert_int_equal(budget_allowed(pool, DISRUPTION_EMPTY, 10, at("2026-11-23T10:45:00Z")), 1);
}

TEST(a_schedule_that_never_comes_is_always_active) {
    assert_int_equal(allowed("{budgets: [{nodes: '1', schedule: '0 0 30 2 *', duration: 1h}]}", DISRUPTION_EMPTY, 9),
                     1);
}

TEST(a_schedule_that_cannot_be_read_allows_nothing) {
    const char *budgets =
        "{budgets: [{nodes: 50%}, {nodes: '3', reasons: [Drifted], schedule: '99 * * * *', duration: 1h}]}";

    assert_int_equal(allowed(budgets, DISRUPTION_EMPTY, 100), 0);
    assert_int_equal(allowed(budgets, DISRUPTION_DRIFTED, 100), 0);
    assert_string_equal(arena_text(&cluster->arena, budget_fault(test_pool(cluster, "p"))),
                        "expected a minute from 0 to 59, got \"99\"");
    assert_int_equal(budget_fault(pool_with("{}")).len, 0);
}

TEST(nodes_that_are_away_take_of_the_budget) {
    const NodePool *pool = pool_with("{budgets: [{nodes: 50%}]}");
    int64_t now = at("2026-11-23T10:30:00Z");

    assert_int_equal(budget_left(pool, DISRUPTION_EMPTY, &(BudgetNodes){.total = 10}, now), 5);
    assert_int_equal(budget_left(pool, DISRUPTION_EMPTY, &(BudgetNodes){10, .deleting = 2, .not_ready = 1}, now), 2);
    assert_int_equal(budget_left(pool, DISRUPTION_EMPTY, &(BudgetNodes){10, .deleting = 4, .not_ready = 4}, now), 0);
}

TEST(repair_is_not_held_up_by_the_nodes_that_are_not_ready) {
    const NodePool *pool = pool_with("{budgets: [{nodes: 50%}]}");
    int64_t now = at("2026-11-23T10:30:00Z");

    assert_int_equal(budget_left(pool, DISRUPTION_UNHEALTHY, &(BudgetNodes){10, .deleting = 1, .not_ready = 9}, now),
                     4);
}
