// node.planned: nodes that are planned to go say so to kube-scheduler. docs/design/ctl-outlook.md.
#include "ctl/node_env.h"
#include "ctl/outlook/planned_taint.h"

#define TAINT  "{\"key\":\"tenon.sh/planned-to-go\",\"effect\":\"PreferNoSchedule\"}"
#define RECORD "metadata.annotations.'tenon.sh/planned-to-go'"
#define MARKED                                                                                                         \
    "{kind: Node, metadata: {name: n1, annotations: {tenon.sh/planned-to-go: '2026-01-05T00:00:00Z'}},"                \
    " spec: {taints: [{key: tenon.sh/planned-to-go, effect: PreferNoSchedule}]}}"

static TestEnv *planned_env(bool flag) {
    Settings settings = env_settings();
    TestEnv *env;

    settings.planned_taint = flag;
    env = env_new(&planned_taint_controller, &settings);
    put_node(env, "n1", "a");
    return env;
}

static void look_says(TestEnv *env, bool planned) {
    state_expect(env_state(env), env_find(env, KUBE_NODE, "n1"), (NodeOutlook){.is_planned = planned});
    state_set_looked_ahead(env_state(env));
    env_start(env);
    env_reconcile(env, "");
    env_carry_out(env);
}

static bool is_marked(TestEnv *env) {
    const char *taints = env_part(env, KUBE_NODE, "n1", "spec.taints");
    bool marked = strstr(taints, "tenon.sh/planned-to-go") != NULL;

    assert_int_equal(marked, *env_part(env, KUBE_NODE, "n1", RECORD) != 0);
    return marked;
}

TEST(a_node_that_is_planned_to_go_for_a_minute_is_marked) {
    TestEnv *env = planned_env(true);

    look_says(env, true);
    env_run(env, "59s");
    assert_false(is_marked(env));
    env_run(env, "1s");
    assert_true(is_marked(env));
    assert_int_equal(env_times(env_part(env, KUBE_NODE, "n1", "spec.taints"), TAINT), 1);
    assert_string_equal(env_part(env, KUBE_NODE, "n1", RECORD), "\"2026-01-05T00:01:00Z\"");
    env_free(env);
}

TEST(a_plan_of_a_moment_marks_nothing) {
    TestEnv *env = planned_env(true);

    look_says(env, true);
    env_run(env, "30s");
    look_says(env, false);
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_mark_stays_for_ten_minutes) {
    TestEnv *env = planned_env(true);

    look_says(env, true);
    env_run(env, "1m");
    look_says(env, false);
    env_run(env, "9m59s");
    assert_true(is_marked(env));
    env_run(env, "1s");
    assert_false(is_marked(env));
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(other_taints_stay) {
    TestEnv *env = planned_env(true);

    env_put(env, "{kind: Node, metadata: {name: n1}, spec: {taints: [{key: team, value: a, effect: NoSchedule}]}}");
    look_says(env, true);
    env_run(env, "1m");
    assert_true(is_marked(env));
    look_says(env, false);
    env_run(env, "10m");
    assert_string_equal(env_part(env, KUBE_NODE, "n1", "spec.taints"),
                        "[{\"key\":\"team\",\"value\":\"a\",\"effect\":\"NoSchedule\"}]");
    env_free(env);
}

TEST(a_taint_without_its_record_goes_at_once) {
    TestEnv *env = planned_env(true);

    env_put(env, "{kind: Node, metadata: {name: n1},"
                 " spec: {taints: [{key: tenon.sh/planned-to-go, effect: PreferNoSchedule}]}}");
    env_run(env, "0s");
    assert_false(is_marked(env));
    env_free(env);
}

TEST(a_record_without_its_taint_goes_at_once) {
    TestEnv *env = planned_env(true);

    env_put(env, "{kind: Node, metadata: {name: n1, annotations: {tenon.sh/planned-to-go: '2026-01-05T00:00:00Z'}}}");
    env_run(env, "0s");
    assert_false(is_marked(env));
    env_free(env);
}

TEST(a_record_that_says_no_time_goes) {
    TestEnv *env = planned_env(true);

    env_put(env, MARKED);
    env_put(env, "{kind: Node, metadata: {name: n1, annotations: {tenon.sh/planned-to-go: soon}}}");
    env_run(env, "0s");
    assert_false(is_marked(env));
    env_free(env);
}

TEST(a_restart_keeps_a_mark_until_the_first_look) {
    TestEnv *env = planned_env(true);

    env_put(env, MARKED);
    assert_string_equal(env_run(env, "1h"), "");
    look_says(env, false);
    env_run(env, "0s");
    assert_false(is_marked(env));
    env_free(env);
}

TEST(without_the_flag_a_mark_goes) {
    TestEnv *env = planned_env(false);

    env_put(env, MARKED);
    env_run(env, "0s");
    assert_false(is_marked(env));
    look_says(env, true);
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_node_that_is_going_keeps_what_it_has) {
    TestEnv *env = planned_env(true);

    env_put(env, "{kind: Node, metadata: {name: n1},"
                 " spec: {taints: [{key: karpenter.sh/disrupted, effect: NoSchedule}]}}");
    look_says(env, true);
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(killed_before_or_behind_the_write_it_is_marked_once) {
    for (uint32_t writes = 0; writes < 2; writes++) {
        TestEnv *env = planned_env(true);

        look_says(env, true);
        env_die_after(env, writes);
        env_run(env, "61s");
        look_says(env, true);
        env_run(env, "1m");
        assert_true(is_marked(env));
        assert_int_equal(env_times(env_part(env, KUBE_NODE, "n1", "spec.taints"), TAINT), 1);
        env_free(env);
    }
}
