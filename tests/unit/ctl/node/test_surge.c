// Surge of single replicas before their eviction: who is surged, for how long the eviction waits, and what a death in
// between changes.
#include "ctl/node_env.h"

#include "model/pod_predicates.h"

static const char GET[] = "get deployment/default/web\n";

// A Deployment with its ReplicaSet, a pod on the node that is drained, and the eviction queue. `spec` are members of
// the Deployment's, each with a comma behind it.
static TestEnv *with_deployment(const char *surge, const char *spec) {
    TestEnv *env = node_env(&eviction_queue_controller, &node_termination_controller);
    char meta[1024];

    env_put(env, "{kind: Node, metadata: {name: n1}, spec: {taints: [{key: karpenter.sh/disrupted, effect: "
                 "NoSchedule}]}}");
    env_delete(env, KUBE_NODE, "n1");
    env_put(env,
            "{kind: Deployment, metadata: {name: web}, spec: {%s selector: {matchLabels: {app: p}}, template: "
            "{metadata: {labels: {app: p}, annotations: {tenon.sh/surge: '%s'}}, spec: {containers: [{name: main, "
            "image: app}]}}}}",
            spec, surge);
    snprintf(meta, sizeof meta, ", pod-template-hash: abc}, annotations: {tenon.sh/surge: '%s'}%s", surge,
             owned_by(env, KUBE_REPLICA_SET, "web-abc"));
    env_put(env,
            "{kind: Pod, metadata: {name: p, labels: {app: p%s}, spec: {nodeName: n1}, status: {phase: Running, "
            "startTime: '2026-01-05T00:00:00Z', conditions: [Ready, PodScheduled]}}",
            meta);
    return env;
}

static const char *record_of(TestEnv *env) {
    Value deployment = env_get(env, KUBE_DEPLOYMENT, "web");
    const Value *record =
        value_at(&deployment, "spec", "template", "metadata", "annotations", "tenon.sh/surge-for", NULL);
    static char text[128];

    snprintf(text, sizeof text, "%.*s", record ? (int)record->text.len : 0, record ? record->text.ptr : "");
    return text;
}

TEST(the_deployment_starts_another_pod_and_the_eviction_waits) {
    TestEnv *env = with_deployment("true", "");
    const char *said;

    assert_string_equal(env_reconcile(env, "default/p"), GET);
    said = env_run(env, "1s");
    assert_says(said, "event Normal pod/default/p Surging: The Deployment starts another pod before this one goes; it "
                      "is evicted at 2026-01-05T00:05:00Z at the latest");
    assert_says(record_of(env), "/2026-01-05T00:00:00Z");
    said = env_run(env, "4m");
    assert_int_equal(env_times(said, "evict pod"), 0);
    assert_int_equal(env_times(said, "patch deployment"), 0);
    env_remove(env, KUBE_POD, "p"); // as the Deployment does when the other one is ready
    env_tell(env);
    assert_int_equal(env_times(env_run(env, "10m"), "default/p"), 0);
    env_free(env);
}

TEST(it_is_evicted_when_its_time_is_over) {
    TestEnv *env = with_deployment("90s", "");
    const char *said = env_run(env, "89s");

    assert_int_equal(env_times(said, "evict pod"), 0);
    said = env_run(env, "2s");
    assert_says(said, "event Warning pod/default/p SurgeFailed: The pod is evicted without another one in its place: "
                      "its time is over");
    assert_says(said, "evict pod/default/p");
    env_free(env);
}

TEST(who_cannot_be_surged_is_evicted_at_once) {
    static const struct {
        const char *spec, *why;
    } rows[] = {
        {"replicas: 2,", "its Deployment has other replicas"},
        {"paused: true,", "its Deployment is paused"},
        {"strategy: {type: Recreate},", "the strategy of its Deployment takes the old pod away first"},
        {"strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}},",
         "the strategy of its Deployment takes the old pod away first"},
        {"strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}},",
         "the strategy of its Deployment takes the old pod away first"},
        {"strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 100%}},",
         "the strategy of its Deployment takes the old pod away first"},
        {"strategy: {rollingUpdate: {maxSurge: 0%, maxUnavailable: 1}},",
         "the strategy of its Deployment takes the old pod away first"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        TestEnv *env = with_deployment("true", rows[i].spec);
        const char *said = env_run(env, "1s");

        assert_says(said, rows[i].why);
        assert_says(said, "evict pod/default/p");
        assert_string_equal(record_of(env), "");
        env_free(env);
    }
}

TEST(strategies_that_keep_one_replica_surge) {
    static const char *const specs[] = {"strategy: {type: RollingUpdate},",
                                        "strategy: {rollingUpdate: {maxSurge: 1%, maxUnavailable: 99%}},",
                                        "strategy: {rollingUpdate: {maxSurge: 2, maxUnavailable: 0}},",
                                        "strategy: {rollingUpdate: {maxSurge: 100%, maxUnavailable: 0%}},"};

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        TestEnv *env = with_deployment("true", specs[i]);

        assert_int_equal(env_times(env_run(env, "1s"), "evict pod"), 0);
        assert_true(*record_of(env));
        env_free(env);
    }
}

TEST(a_pod_of_no_deployment_is_evicted_at_once) {
    TestEnv *env = with_deployment("true", "");
    const char *said;

    put_pod(env, "q", ", annotations: {tenon.sh/surge: 'true'}", "");
    env_reconcile(env, "default/q");
    env_carry_out(env);
    said = env_run(env, "0s");
    assert_true(*env_part(env, KUBE_POD, "q", "metadata.deletionTimestamp"));
    assert_int_equal(env_times(said, "patch deployment"), 1); // of p
    env_free(env);
}

TEST(values_that_cannot_be_read_do_not_count) {
    static const char *const values[] = {"false", "soon", "0s", "-5m"};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        TestEnv *env = with_deployment(values[i], "");
        const char *said = env_run(env, "1s");

        assert_says(said, "the annotation tenon.sh/surge is neither \"true\" nor a positive duration such as \"10m\"");
        assert_says(said, "evict pod/default/p");
        env_free(env);
    }
}

TEST(without_rights_it_is_evicted_and_the_event_says_so) {
    TestEnv *env = with_deployment("true", "");
    const char *said;

    env_break(env, INTENT_GET, 1, ERR_DENIED, "deployments.apps is forbidden");
    said = env_run(env, "1s");
    assert_says(said, "in its place: deployments.apps is forbidden");
    assert_says(said, "evict pod/default/p");
    env_free(env);
}

TEST(with_the_right_to_read_alone_it_is_evicted) {
    TestEnv *env = with_deployment("true", "");

    env_reconcile(env, "default/p");
    env_carry_out(env);
    assert_says(env_reconcile(env, "default/p"), "patch deployment/default/web locked");
    env_fail(env, 0, ERR_DENIED, "deployments.apps is forbidden");
    assert_string_equal(record_of(env), "");
    assert_says(env_run(env, "1s"), "evict pod/default/p");
    env_free(env);
}

TEST(calls_that_fail_are_repeated_and_the_time_is_kept) {
    TestEnv *env = with_deployment("2m", "");
    const char *said;

    env_break(env, INTENT_GET, 1000, ERR_IO, "no answer");
    said = env_run(env, "119s");
    assert_true(env_times(said, "get deployment") > 5);
    assert_int_equal(env_times(said, "evict pod"), 0);
    assert_says(env_run(env, "15s"), "evict pod/default/p");
    env_free(env);
}

TEST(a_deployment_that_changed_meanwhile_is_read_again) {
    TestEnv *env = with_deployment("true", "");
    const char *said;

    env_reconcile(env, "default/p");
    env_carry_out(env);
    env_put(env, "{kind: Deployment, metadata: {name: web}, spec: {replicas: 3}}");
    said = env_run(env, "10s");
    assert_says(said, "its Deployment has other replicas");
    assert_string_equal(record_of(env), "");
    env_free(env);
}

TEST(the_deadline_of_the_node_goes_first) {
    TestEnv *env = with_deployment("10m", "");
    const char *said;

    put_deadline(env, "2026-01-05T00:02:00Z"); // less 30 s that the pod needs
    said = env_run(env, "89s");
    assert_int_equal(env_times(said, "delete pod"), 0);
    said = env_run(env, "5s");
    assert_says(said, "delete pod/default/p");
    env_free(env);
}

TEST(after_a_death_it_waits_for_what_is_left_of_the_time) {
    TestEnv *env = with_deployment("true", "");
    const char *said;
    char record[128];

    env_run(env, "2m");
    snprintf(record, sizeof record, "%s", record_of(env));
    env_restart(env);
    said = env_run(env, "170s");
    assert_int_equal(env_times(said, "evict pod"), 0);
    assert_string_equal(record_of(env), record);
    assert_says(env_run(env, "15s"), "evict pod/default/p");
    env_free(env);
}

TEST(killed_between_any_two_intents_it_starts_one_pod) {
    for (uint32_t lives = 0; lives < 4; lives++) {
        TestEnv *env = with_deployment("true", "");
        const char *said;

        env_die_after(env, lives);
        env_run(env, "1s");
        said = env_run(env, "1m");
        assert_int_equal(env_times(said, "evict pod"), 0);
        assert_says(env_part(env, KUBE_DEPLOYMENT, "web", "metadata.generation"), "2"); // the template changed once
        env_free(env);
    }
}
