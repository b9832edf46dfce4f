// The metrics observer: looks of disruption, and steps of its commands.
#include "obs/support/env.h"

#include <math.h>

FIXTURE(TestEnv, env_new, env_free);

static void look(TestEnv *env, const DisruptPass *pass) {
    Intent intent = {.type = INTENT_DISRUPT};
    Disrupted disrupted = {.pass = *pass};

    env_tell(env, "disruption", &intent, &(Completion){.type = INTENT_DISRUPT, .disrupted = &disrupted});
}

static double eligible(TestEnv *env, const char *reason) {
    return env_value(env, METRIC_DISRUPTION_ELIGIBLE, reason, NULL);
}

TEST_F(TestEnv, env, eligible_nodes_are_those_of_the_last_look) {
    static const struct {
        DisruptMethod method;
        const char *reason;
    } methods[] = {{METHOD_CONSOLIDATION, "underutilized"}, {METHOD_EMPTINESS, "empty"}, {METHOD_DRIFT, "drifted"}};

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        DisruptPass pass = {0};

        look(env, &pass);
        assert_true(eligible(env, methods[i].reason) == 0);
        pass.eligible[methods[i].method] = 1;
        look(env, &pass);
        assert_true(eligible(env, methods[i].reason) == 1);
    }
}

TEST_F(TestEnv, env, drift_of_static_pools_is_drift) {
    look(env, &(DisruptPass){.eligible = {[METHOD_DRIFT] = 2, [METHOD_STATIC_DRIFT] = 3}});
    assert_true(eligible(env, "drifted") == 5);
}

TEST_F(TestEnv, env, the_cost_of_a_pool_is_that_of_the_last_look_and_missing_prices_add_up) {
    PoolCost cost = {.pool = env_symbol(env, "a"), .price_per_hour = 1.5, .unpriced = 2};
    DisruptPass pass = {.costs = {.items = &cost, .count = 1}};

    look(env, &pass);
    cost.price_per_hour = 0.5;
    look(env, &pass);
    assert_true(env_value(env, METRIC_NODEPOOLS_COST, "a", NULL) == 0.5);
    assert_true(env_value(env, METRIC_NODEPOOLS_COST_ERRORS, "a", NULL) == 4);
}

TEST_F(TestEnv, env, moves_are_counted_and_scores_observed) {
    DisruptMove moves[] = {
        {.policy = CONSOLIDATE_BALANCED, .pool_approves = true, .score = 4}, // another pool refused
        {.policy = CONSOLIDATE_BALANCED, .score = 0.3},
        {.policy = CONSOLIDATE_WHEN_EMPTY_OR_UNDERUTILIZED, .pool_approves = true, .is_approved = true, .score = NAN},
    };
    static const char *const pools[] = {"a", "b", "c"};
    DisruptPass pass = {.moves = {.items = moves, .count = 3}};

    for (size_t i = 0; i < 3; i++)
        moves[i].pool = env_symbol(env, pools[i]);
    look(env, &pass);
    look(env, &pass);
    assert_true(env_value(env, METRIC_CONSOLIDATION_MOVES, "rejected", "a", "Balanced", NULL) == 2);
    assert_true(env_value(env, METRIC_CONSOLIDATION_MOVES, "rejected", "b", "Balanced", NULL) == 2);
    assert_true(env_value(env, METRIC_CONSOLIDATION_MOVES, "approved", "c", "WhenEmptyOrUnderutilized", NULL) == 2);
    assert_line(env_page(env),
                "karpenter_consolidation_score_sum{decision=\"approved\",nodepool=\"a\",policy=\"Balanced\"} 8");
    assert_line(env_page(env), "karpenter_consolidation_score_bucket{decision=\"rejected\",nodepool=\"b\","
                               "policy=\"Balanced\",le=\"0.25\"} 0");
    assert_line(env_page(env), "karpenter_consolidation_score_bucket{decision=\"rejected\",nodepool=\"b\","
                               "policy=\"Balanced\",le=\"0.33\"} 2");
    assert_int_equal(registry_series(env->registry, METRIC_CONSOLIDATION_SCORE), 2);
}

// --- commands

static void step(TestEnv *env, DisruptionStep what) {
    Symbol pool = env_symbol(env, "web");
    Intent intent = {.type = INTENT_STEP, .step = what};

    intent.step.pools = (SymbolVec){.items = &pool, .count = 1};
    env_tell(env, "disruption", &intent, &(Completion){.type = INTENT_STEP});
}

TEST_F(TestEnv, env, a_command_is_counted_by_what_it_does_and_why) {
    static const struct {
        DisruptionStep step;
        const char *decision, *reason, *type;
    } commands[] = {
        {{.method = METHOD_EMPTINESS, .nodes = 1}, "delete", "empty", "empty"},
        {{.method = METHOD_DRIFT, .nodes = 1, .replacements = 2}, "replace", "drifted", ""},
        {{.method = METHOD_CONSOLIDATION, .nodes = 1}, "delete", "underutilized", "single"},
        {{.method = METHOD_CONSOLIDATION, .nodes = 1, .replacements = 1}, "replace", "underutilized", "single"},
        {{.method = METHOD_CONSOLIDATION, .nodes = 3}, "delete", "underutilized", "multi"},
        {{.method = METHOD_CONSOLIDATION, .nodes = 3, .replacements = 1}, "replace", "underutilized", "multi"},
    };

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        step(env, commands[i].step);
        assert_true(env_value(env, METRIC_DISRUPTION_DECISIONS, commands[i].decision, commands[i].reason,
                              commands[i].type, NULL) == 1);
        assert_true(env_value(env, METRIC_DISRUPTION_DECISIONS_BY_POOL, "web", commands[i].decision, commands[i].reason,
                              commands[i].type, NULL) == 1);
        assert_int_equal(registry_series(env->registry, METRIC_DISRUPTION_DECISIONS), i + 1);
    }
}

TEST_F(TestEnv, env, empty_nodes_are_counted_one_by_one) {
    for (int i = 0; i < 3; i++)
        step(env, (DisruptionStep){.method = METHOD_EMPTINESS, .nodes = 1});
    assert_true(env_value(env, METRIC_DISRUPTION_DECISIONS, "delete", "empty", "empty", NULL) == 3);
}

TEST_F(TestEnv, env, a_command_that_fell_is_counted_by_its_nodes_or_replacements) {
    step(env, (DisruptionStep){.event = DISRUPTION_REJECTED, .method = METHOD_CONSOLIDATION, .nodes = 3});
    assert_true(env_value(env, METRIC_DISRUPTION_FAILED_VALIDATIONS, "multi", NULL) == 3);
    step(env, (DisruptionStep){.event = DISRUPTION_FAILED, .method = METHOD_DRIFT, .nodes = 1, .replacements = 2});
    assert_true(env_value(env, METRIC_DISRUPTION_QUEUE_FAILURES, "replace", "drifted", "", NULL) == 2);
    assert_int_equal(registry_series(env->registry, METRIC_DISRUPTION_DECISIONS), 0);
}

TEST_F(TestEnv, env, reboots_are_counted_by_their_result_and_timed) {
    Intent good = {.type = INTENT_REBOOTED,
                   .reboot = {REBOOT_SUCCEEDED, .took_ns = 90 * NS_PER_S, .recovered_ns = 30 * NS_PER_S}};
    Intent bad = {.type = INTENT_REBOOTED, .reboot = {REBOOT_PROVIDER_ERROR, .took_ns = -NS_PER_S}}; // a clock was set

    env_tell(env, "nodeclaim.reboot", &good, &(Completion){.type = INTENT_REBOOTED});
    env_tell(env, "nodeclaim.reboot", &bad, &(Completion){.type = INTENT_REBOOTED});
    assert_true(env_value(env, METRIC_NODES_REBOOTS, "succeeded", NULL) == 1);
    assert_true(env_value(env, METRIC_NODES_REBOOTS, "provider_error", NULL) == 1);
    assert_line(env_page(env), "karpenter_nodes_reboot_duration_seconds_sum{result=\"succeeded\"} 90");
    assert_line(env_page(env), "karpenter_nodes_reboot_duration_seconds_sum{result=\"provider_error\"} 0");
    assert_line(env_page(env), "karpenter_nodes_reboot_recovery_duration_seconds_sum 30");
    assert_line(env_page(env), "karpenter_nodes_reboot_recovery_duration_seconds_count 1");
}

TEST_F(TestEnv, env, writes_of_deletion_costs_are_counted_by_their_result) {
    static const struct {
        ErrCode code;
        const char *result;
    } answers[] = {{OK, "updated"},
                   {ERR_NOT_FOUND, "skipped_notfound"},
                   {ERR_CONFLICT, "skipped_conflict"},
                   {ERR_DENIED, "error"}};
    Intent patch = {.type = INTENT_PATCH, .ref = {.kind = KUBE_POD}};

    env_tell(env, "somebody.else", &patch, &(Completion){.type = INTENT_PATCH});
    assert_int_equal(registry_series(env->registry, METRIC_PODS_COST_WRITES), 0);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        env_tell(env, "pod.deletioncost", &patch, &(Completion){.type = INTENT_PATCH, .code = answers[i].code});
        assert_true(env_value(env, METRIC_PODS_COST_WRITES, answers[i].result, NULL) == 1);
    }
}

TEST_F(TestEnv, env, nodes_whose_pods_are_still_to_be_written_are_those_of_the_last_pass) {
    Intent costed = {.type = INTENT_COSTED,
                     .costed = {.pool = env_symbol(env, "a"), .nodes_pending = 3, .pods_unchanged = 7}};

    env_tell(env, "pod.deletioncost", &costed, &(Completion){.type = INTENT_COSTED});
    costed.costed.nodes_pending = 1;
    env_tell(env, "pod.deletioncost", &costed, &(Completion){.type = INTENT_COSTED});
    assert_true(env_value(env, METRIC_PODS_COST_PENDING, "a", NULL) == 1);
    assert_true(env_value(env, METRIC_PODS_COST_WRITES, "skipped_unchanged", NULL) == 14);
}
