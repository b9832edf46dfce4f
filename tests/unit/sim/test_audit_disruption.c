// The audit's rules of voluntary disruption: each on a history that breaks it, and on similar ones that do not. The
// test writes what a tenon would write.
#include "sim/audit/audit_budget.h"
#include "sim/audit/audit_protect.h"
#include "sim/support/audited_fleet.h"

#include "text/duration.h"

// --- a history for each rule that breaks it, and one that does not

// 30 percent of three nodes is one.
static void budget_wrong(Fleet *fleet) {
    fleet_set_budgets(fleet, "{nodes: 30%}");
    fleet_open_workers(fleet);
    fleet_disrupt(fleet, 0, "Empty");
    fleet_disrupt(fleet, 1, "Empty");
}

static void budget_right(Fleet *fleet) {
    fleet_set_budgets(fleet, "{nodes: 30%}");
    fleet_open_workers(fleet);
    fleet_disrupt(fleet, 0, "Empty");
    fleet_unmark(fleet, 0);
    fleet_disrupt(fleet, 1, "Empty");
}

static void protected_wrong(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_make_pod(fleet, 0, "karpenter.sh/do-not-disrupt: 5m");
    cluster_run(fleet->world, MINUTES(2));
    fleet_disrupt(fleet, 0, "Underutilized");
}

static void protected_right(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_make_pod(fleet, 0, "karpenter.sh/do-not-disrupt: 5m");
    cluster_run(fleet->world, MINUTES(5));
    fleet_disrupt(fleet, 0, "Underutilized");
}

static void replace(Fleet *fleet, const char *reason, const char *type, bool is_initialized) {
    uint32_t replacement;

    fleet_open_workers(fleet);
    fleet_mark(fleet, 0, "c", 1);
    fleet_tell(fleet, 0, reason);
    replacement = fleet_launch_replacement(fleet, "c", type);
    if (is_initialized)
        fleet_initialize(fleet, replacement);
    fleet_remove_claim(fleet, 0);
}

static void replaced_first_wrong(Fleet *fleet) {
    replace(fleet, "Drifted", "m5.large", false);
}

static void replaced_first_right(Fleet *fleet) {
    replace(fleet, "Drifted", "m5.large", true);
}

static void never_dearer_wrong(Fleet *fleet) {
    replace(fleet, "Underutilized", "m5.xlarge", true);
}

static void never_dearer_right(Fleet *fleet) {
    replace(fleet, "Underutilized", "t3.small", true);
}

// A node that is not consolidatable any more for `pause_ns`, and disrupted `after_ns` after that.
static void consolidate(Fleet *fleet, int64_t pause_ns, int64_t after_ns) {
    fleet_open_workers(fleet);
    fleet_make_consolidatable(fleet, 0, false);
    cluster_run(fleet->world, pause_ns);
    fleet_make_consolidatable(fleet, 0, true);
    cluster_run(fleet->world, after_ns);
    fleet_disrupt(fleet, 0, "Empty");
}

static void proved_wrong(Fleet *fleet) {
    consolidate(fleet, MINUTES(1), SECONDS(14));
}

static void proved_right(Fleet *fleet) {
    consolidate(fleet, MINUTES(1), SECONDS(15));
}

static void tainted_first_wrong(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_remove_claim(fleet, 0);
}

static void tainted_first_right(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_disrupt(fleet, 0, "Empty");
    fleet_remove_claim(fleet, 0);
}

static void untainted_after_wrong(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_mark(fleet, 0, "c", 1);
    cluster_run(fleet->world, MINUTES(10));
}

static void untainted_after_right(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_mark(fleet, 0, "c", 1);
    cluster_run(fleet->world, MINUTES(4));
    fleet_unmark(fleet, 0);
    cluster_run(fleet->world, MINUTES(6));
}

static void one_command_wrong(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_mark(fleet, 0, "c", 1);
    fleet_mark(fleet, 0, "d", 1);
}

static void one_command_right(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_mark(fleet, 0, "c", 1);
    fleet_unmark(fleet, 0);
    fleet_mark(fleet, 0, "d", 1);
}

static const struct {
    void (*wrong)(Fleet *fleet), (*right)(Fleet *fleet);
} histories[AUDIT_EXPIRED] = {
    [AUDIT_BUDGET] = {budget_wrong, budget_right},
    [AUDIT_PROTECTED] = {protected_wrong, protected_right},
    [AUDIT_REPLACED_FIRST] = {replaced_first_wrong, replaced_first_right},
    [AUDIT_NEVER_DEARER] = {never_dearer_wrong, never_dearer_right},
    [AUDIT_PROVED] = {proved_wrong, proved_right},
    [AUDIT_TAINTED_FIRST] = {tainted_first_wrong, tainted_first_right},
    [AUDIT_UNTAINTED_AFTER] = {untainted_after_wrong, untainted_after_right},
    [AUDIT_ONE_COMMAND] = {one_command_wrong, one_command_right},
};

// --- tests

static uint32_t count_in_history(AuditRule rule, bool is_broken) {
    return fleet_violations(rule, is_broken ? histories[rule].wrong : histories[rule].right);
}

TEST(every_rule_sees_that_it_is_broken) {
    assert_rules_see_what_is_wrong(AUDIT_BUDGET, AUDIT_EXPIRED, count_in_history);
}

TEST(no_rule_complains_of_what_is_right) {
    assert_rules_pass_what_is_right(AUDIT_BUDGET, AUDIT_EXPIRED, count_in_history);
}

// --- budgets

static void budget_of_its_reason(Fleet *fleet) {
    fleet_set_budgets(fleet, "{nodes: '2', reasons: [Drifted]}, {nodes: '1', reasons: [Empty]}");
    fleet_open_workers(fleet);
    fleet_disrupt(fleet, 0, "Drifted");
    fleet_disrupt(fleet, 1, "Drifted");
}

static void budget_of_another_reason(Fleet *fleet) {
    budget_of_its_reason(fleet);
    fleet_disrupt(fleet, 2, "Empty");
}

static void budget_beside_a_deletion(Fleet *fleet) {
    fleet_set_budgets(fleet, "{nodes: '1'}");
    fleet_open_workers(fleet);
    cluster_delete(fleet->world, KUBE_NODE_CLAIM, "", "general-0");
    cluster_run(fleet->world, MINUTES(2));
    fleet_disrupt(fleet, 1, "Empty");
}

static void budget_beside_a_node_that_is_not_ready(Fleet *fleet) {
    Arena arena = {0};
    Slice now;

    fleet_set_budgets(fleet, "{nodes: '1'}");
    fleet_open_workers(fleet);
    now = time_print(&arena, world_now_ns(fleet->world));
    fleet_patch(fleet, KUBE_NODE, "node-0",
                "{status: {conditions: [{type: Ready, status: 'False', lastTransitionTime: '%.*s'}]}}", SLICE_ARG(now));
    arena_free(&arena);
    cluster_run(fleet->world, MINUTES(2));
    fleet_disrupt(fleet, 1, "Empty");
}

// tenon may not have seen the new budget.
static void budget_of_just_now(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_set_budgets(fleet, "{nodes: '0'}");
    fleet_disrupt(fleet, 0, "Empty");
}

TEST(a_budget_counts_every_node_that_goes_or_is_not_ready) {
    assert_int_equal(fleet_violations(AUDIT_BUDGET, budget_of_its_reason), 0);
    assert_int_equal(fleet_violations(AUDIT_BUDGET, budget_of_another_reason), 1);
    assert_int_equal(fleet_violations(AUDIT_BUDGET, budget_beside_a_deletion), 1);
    assert_int_equal(fleet_violations(AUDIT_BUDGET, budget_beside_a_node_that_is_not_ready), 1);
    assert_int_equal(fleet_violations(AUDIT_BUDGET, budget_of_just_now), 0);
}

TEST(a_budget_counts_from_its_schedule_on_for_its_duration) {
    static const int64_t monday_ns = INT64_C(1767571200) * NS_PER_S; // 2026-01-05T00:00:00Z
    PoolBudget budget = {.nodes = 1, .reasons = 1U << DISRUPTION_EMPTY, .scheduled = true, .duration_ns = MINUTES(10)};
    NodePool pool = {.disruption.budgets = {.items = &budget, .count = 1}};

    assert_int_equal(cron_parse(SLICE("30 8 * * mon"), &budget.schedule, NULL), OK);
    assert_true(audit_budget_allows(&pool, DISRUPTION_EMPTY, 9, monday_ns + MINUTES(8 * 60 + 29)) == UINT32_MAX);
    assert_int_equal(audit_budget_allows(&pool, DISRUPTION_EMPTY, 9, monday_ns + MINUTES(8 * 60 + 30)), 1);
    assert_int_equal(audit_budget_allows(&pool, DISRUPTION_EMPTY, 9, monday_ns + MINUTES(8 * 60 + 40) - 1), 1);
    assert_true(audit_budget_allows(&pool, DISRUPTION_EMPTY, 9, monday_ns + MINUTES(8 * 60 + 40)) == UINT32_MAX);
    assert_true(audit_budget_allows(&pool, DISRUPTION_EMPTY, 9, monday_ns + MINUTES(32 * 60 + 35)) == UINT32_MAX);
    assert_true(audit_budget_allows(&pool, DISRUPTION_DRIFTED, 9, monday_ns + MINUTES(8 * 60 + 30)) == UINT32_MAX);
    assert_int_equal(cron_parse(SLICE("0 0 30 2 *"), &budget.schedule, NULL), OK);
    assert_int_equal(audit_budget_allows(&pool, DISRUPTION_EMPTY, 9, monday_ns), 1);
    budget = (PoolBudget){.nodes = 34, .percent = true, .reasons = 1U << DISRUPTION_EMPTY};
    assert_int_equal(audit_budget_allows(&pool, DISRUPTION_EMPTY, 3, monday_ns), 2);
    budget.fault = SLICE("not a schedule");
    assert_int_equal(audit_budget_allows(&pool, DISRUPTION_DRIFTED, 3, monday_ns), 0);
}

// --- limits

// Two nodes of two processors each, one of which is to replace the other.
static void replace_at_the_limit(Fleet *fleet) {
    fleet_patch(fleet, KUBE_NODE_POOL, "general", "{spec: {limits: {cpu: '3'}}}");
    cluster_run(fleet->world, MINUTES(2));
    fleet_initialize(fleet, fleet_join(fleet, "m5.large"));
    fleet_patch(fleet, KUBE_NODE_CLAIM, "general-0", "{status: {capacity: {cpu: '2'}}}");
    fleet_mark(fleet, 0, "c", 1);
    fleet_launch_replacement(fleet, "c", "m5.large");
    fleet_patch(fleet, KUBE_NODE_CLAIM, "general-1", "{status: {capacity: {cpu: '2'}}}");
}

// Nodes that expire have a record, and no reason.
TEST(a_node_that_is_replaced_does_not_count_against_limits) {
    assert_int_equal(fleet_violations(AUDIT_LIMITS, replace_at_the_limit), 0);
}

// --- protection

static void guarded_node(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_patch(fleet, KUBE_NODE, "node-0", "{metadata: {annotations: {karpenter.sh/do-not-disrupt: 'true'}}}");
    cluster_run(fleet->world, MINUTES(1));
    fleet_disrupt(fleet, 0, "Drifted");
}

static void node_guarded_just_now(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_patch(fleet, KUBE_NODE, "node-0", "{metadata: {annotations: {karpenter.sh/do-not-disrupt: 'true'}}}");
    cluster_run(fleet->world, SECONDS(30));
    fleet_disrupt(fleet, 0, "Drifted");
}

static void closed_pod_budget(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_make_pod(fleet, 0, "");
    fleet_make_pod_budget(fleet, "b", 0);
    cluster_run(fleet->world, MINUTES(2));
    fleet_disrupt(fleet, 0, "Drifted");
}

static void open_pod_budget(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_make_pod(fleet, 0, "");
    fleet_make_pod_budget(fleet, "b", 1);
    cluster_run(fleet->world, MINUTES(2));
    fleet_disrupt(fleet, 0, "Drifted");
}

static void two_pod_budgets(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_make_pod(fleet, 0, "");
    fleet_make_pod_budget(fleet, "b", 1);
    fleet_make_pod_budget(fleet, "c", 1);
    cluster_run(fleet->world, MINUTES(2));
    fleet_disrupt(fleet, 0, "Drifted");
}

// Of a node with a pod that is do-not-disrupt, whose claim's drain has an end.
static uint32_t violations_of_grace(DisruptionReason reason) {
    Fleet fleet;
    NodeClaim claim;
    const State *state;
    uint32_t count;

    fleet_open(&fleet);
    fleet_open_workers(&fleet);
    fleet_make_pod(&fleet, 0, "karpenter.sh/do-not-disrupt: 'true'");
    cluster_run(fleet.world, MINUTES(1));
    state = world_state(fleet.world);
    claim = *state_node_claim(state, cluster_find(fleet.world, KUBE_NODE_CLAIM, "", "general-0"));
    claim.spec.has_termination_grace_period = true; // immutable in the API server
    audit_check_protected(fleet.audit, &claim, state_node(state, cluster_find(fleet.world, KUBE_NODE, "", "node-0")),
                          reason);
    count = violations_of(fleet.audit, AUDIT_PROTECTED);
    cloudlet_free(fleet.cloudlet);
    return count;
}

TEST(drift_may_take_pods_whose_drain_has_an_end) {
    assert_int_equal(violations_of_grace(DISRUPTION_DRIFTED), 0);
    assert_int_equal(violations_of_grace(DISRUPTION_UNDERUTILIZED), 1);
}

static void evict_guarded(Fleet *fleet, int64_t after_ns) {
    fleet_open_workers(fleet);
    fleet_make_pod(fleet, 0, "karpenter.sh/do-not-disrupt: 5m");
    fleet_mark(fleet, 0, "c", 0);
    cluster_run(fleet->world, after_ns);
    fleet_evict(fleet);
}

static void eviction_of_a_guarded_pod(Fleet *fleet) {
    evict_guarded(fleet, MINUTES(4));
}

static void eviction_when_the_guard_has_ended(Fleet *fleet) {
    evict_guarded(fleet, MINUTES(5));
}

TEST(a_guarded_pod_is_not_evicted) {
    assert_int_equal(fleet_violations(AUDIT_PROTECTED, eviction_of_a_guarded_pod), 1);
    assert_int_equal(fleet_violations(AUDIT_PROTECTED, eviction_when_the_guard_has_ended), 0);
}

TEST(nodes_are_protected_by_themselves_and_by_budgets_of_pods) {
    assert_int_equal(fleet_violations(AUDIT_PROTECTED, guarded_node), 1);
    assert_int_equal(fleet_violations(AUDIT_PROTECTED, node_guarded_just_now), 0);
    assert_int_equal(fleet_violations(AUDIT_PROTECTED, closed_pod_budget), 1);
    assert_int_equal(fleet_violations(AUDIT_PROTECTED, open_pod_budget), 0);
    assert_int_equal(fleet_violations(AUDIT_PROTECTED, two_pod_budgets), 1);
}

// --- proof, taints, commands

static void a_short_interruption(Fleet *fleet) {
    consolidate(fleet, SECONDS(10), SECONDS(1));
}

static void drift_at_once(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_make_consolidatable(fleet, 0, false);
    fleet_disrupt(fleet, 0, "Drifted");
}

TEST(interruptions_shorter_than_a_proof_and_drift_need_none) {
    assert_int_equal(fleet_violations(AUDIT_PROVED, a_short_interruption), 0);
    assert_int_equal(fleet_violations(AUDIT_PROVED, drift_at_once), 0);
}

static void eviction_without_a_taint(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_make_pod(fleet, 0, "");
    fleet_evict(fleet);
}

static void eviction_behind_a_taint(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_make_pod(fleet, 0, "");
    fleet_disrupt(fleet, 0, "Underutilized");
    fleet_evict(fleet);
}

static void expired_claim(Fleet *fleet) {
    fleet_open_workers(fleet);
    cluster_run(fleet->world, INT64_C(720) * 60 * MINUTES(1));
    fleet_remove_claim(fleet, 0);
}

static void interrupted_instance(Fleet *fleet) {
    fleet_open_workers(fleet);
    sim_cloud_fault_kill(fleet->cloudlet->cloud, 0, SIM_DEATH_IMPAIRED);
    world_settle(fleet->world);
    fleet_remove_claim(fleet, 0);
}

TEST(nodes_are_tainted_before_their_pods_are_evicted_and_go_untainted_only_for_other_reasons) {
    assert_int_equal(fleet_violations(AUDIT_TAINTED_FIRST, eviction_without_a_taint), 1);
    assert_int_equal(fleet_violations(AUDIT_TAINTED_FIRST, eviction_behind_a_taint), 0);
    assert_int_equal(fleet_violations(AUDIT_TAINTED_FIRST, expired_claim), 0);
    assert_int_equal(fleet_violations(AUDIT_TAINTED_FIRST, interrupted_instance), 0);
}

static void waiting_command(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_mark(fleet, 0, "c", 1);
    fleet_launch_replacement(fleet, "c", "m5.large");
    cluster_run(fleet->world, MINUTES(30));
}

static void ready_but_forgotten(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_mark(fleet, 0, "c", 1);
    fleet_initialize(fleet, fleet_launch_replacement(fleet, "c", "m5.large"));
    cluster_run(fleet->world, MINUTES(10));
}

static void replacement_of_nobody(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_launch_replacement(fleet, "c", "m5.large");
    cluster_run(fleet->world, MINUTES(10));
}

static void marked_by_somebody_else(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_patch(fleet, KUBE_NODE, "node-0", "{spec: {taints: [{key: karpenter.sh/disrupted, effect: NoSchedule}]}}");
    cluster_run(fleet->world, MINUTES(10));
}

TEST(marks_stay_only_while_replacements_are_awaited) {
    assert_int_equal(fleet_violations(AUDIT_UNTAINTED_AFTER, waiting_command), 0);
    assert_int_equal(fleet_violations(AUDIT_UNTAINTED_AFTER, ready_but_forgotten), 2); // its replacement's, too
    assert_int_equal(fleet_violations(AUDIT_UNTAINTED_AFTER, replacement_of_nobody), 1);
    assert_int_equal(fleet_violations(AUDIT_UNTAINTED_AFTER, marked_by_somebody_else), 1);
}

static void one_replacement_too_many(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_mark(fleet, 0, "c", 1);
    fleet_launch_replacement(fleet, "c", "m5.large");
    fleet_launch_replacement(fleet, "c", "m5.large");
}

static void candidate_that_is_awaited(Fleet *fleet) {
    uint32_t replacement;

    fleet_open_workers(fleet);
    fleet_mark(fleet, 0, "c", 1);
    replacement = fleet_launch_replacement(fleet, "c", "m5.large");
    fleet_mark(fleet, replacement, "d", 1);
}

TEST(a_command_launches_what_it_awaits_and_no_other_one_takes_that) {
    assert_int_equal(fleet_violations(AUDIT_ONE_COMMAND, one_replacement_too_many), 1);
    assert_int_equal(fleet_violations(AUDIT_ONE_COMMAND, candidate_that_is_awaited), 1);
}
