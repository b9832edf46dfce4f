// static.provisioning: reference lifecycle.md 6.1, scheduling.md 8.4.
#include "ctl/support/env.h"

#include "ctl/pool/static_capacity.h"

static TestEnv *env_static(void) {
    Settings settings = env_settings();

    settings.gate_static_capacity = true;
    return env_new(&static_provisioning_controller, &settings);
}

static TestEnv *with_pool(const char *spec) {
    TestEnv *env = env_static();

    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {%s}, status: {conditions: [Ready]}}", spec);
    return env;
}

static uint32_t claims(TestEnv *env) {
    return env_count(env, KUBE_NODE_CLAIM);
}

static void put_claim(TestEnv *env, const char *name) {
    env_put(env,
            "{kind: NodeClaim, metadata: {name: %s, finalizers: [karpenter.sh/termination], labels: "
            "{karpenter.sh/nodepool: default}}, status: {providerID: 'kwok://%s'}}",
            name, name);
}

TEST(as_many_claims_as_replicas) {
    TestEnv *env = with_pool("replicas: 3");
    const char *history = env_run(env, "0s");

    assert_int_equal(claims(env), 3);
    assert_says(history, "log info provisioning nodeclaims to satisfy replica count NodePool=default current=0 "
                         "desired=3 provision-count=3");
    assert_string_equal(env_due(env, "default"), "1m0s");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

// 2.2: the claim is the template alone; the provider chooses the type.
TEST(the_claim_says_what_the_template_says) {
    TestEnv *env = with_pool("replicas: 1, template: {metadata: {labels: {team: a}}, spec: {expireAfter: 48h, "
                             "requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [zone-a, "
                             "zone-b]}]}}");
    const char *history = env_run(env, "0s");

    assert_says(history, "\"generateName\":\"default-\"");
    assert_says(history, "\"labels\":{\"karpenter.kwok.sh/kwoknodeclass\":\"default\",\"karpenter.sh/nodepool\":"
                         "\"default\",\"team\":\"a\"}");
    assert_says(history, "\"blockOwnerDeletion\":true,\"kind\":\"NodePool\",\"name\":\"default\"");
    assert_says(history, "\"karpenter.sh/nodepool-hash-version\":\"v3\"");
    assert_says(history, "{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"zone-a\","
                         "\"zone-b\"]}");
    assert_says(history, "\"expireAfter\":\"48h\"");
    assert_does_not_say(history, "instance-type");
    assert_does_not_say(history, "capacity-type");
    assert_does_not_say(history, "\"resources\"");
    assert_does_not_say(history, "min-values-relaxed");
    env_free(env);
}

TEST(no_replicas_no_claims) {
    TestEnv *env = with_pool("replicas: 0");

    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(without_the_gate_nothing_happens) {
    TestEnv *env = env_new(&static_provisioning_controller, NULL);

    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {replicas: 3}, status: {conditions: [Ready]}}");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_pool_that_is_not_ready_waits) {
    TestEnv *env = env_static();

    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {replicas: 2}}");
    assert_string_equal(env_run(env, "1h"), "");
    env_put(env, "{kind: NodePool, metadata: {name: default}, status: {conditions: [Ready]}}");
    env_run(env, "0s");
    assert_int_equal(claims(env), 2);
    env_free(env);
}

TEST(a_pool_that_is_deleting_gets_nothing) {
    TestEnv *env = with_pool("replicas: 2");

    env_put(env, "{kind: NodePool, metadata: {name: default, finalizers: [example.com/hold]}}");
    env_delete(env, KUBE_NODE_POOL, "default");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_pool_of_another_provider_is_left_alone) {
    TestEnv *env = with_pool("replicas: 2, template: {spec: {nodeClassRef: {group: example.com, kind: ThingClass, "
                             "name: default}}}");

    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_dynamic_pool_is_left_alone) {
    TestEnv *env = with_pool("");

    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

// Active, deleting and pending ones all count against the limit.
TEST(the_limit_on_nodes_holds) {
    TestEnv *env = with_pool("replicas: 5, limits: {nodes: '3'}");
    const char *history;

    put_claim(env, "a");
    env_delete(env, KUBE_NODE_CLAIM, "a"); // deleting
    env_run(env, "0s");
    assert_int_equal(claims(env), 3);
    history = env_run(env, "1m");
    assert_says(history, "log info nodepool node limit reached NodePool=default");
    assert_string_equal(env_due(env, "default"), "30s");
    assert_int_equal(claims(env), 3);
    env_remove(env, KUBE_NODE_CLAIM, "a");
    env_run(env, "0s");
    assert_int_equal(claims(env), 3);
    env_free(env);
}

TEST(a_claim_that_is_deleted_is_replaced_at_once) {
    TestEnv *env = with_pool("replicas: 2");

    put_claim(env, "a");
    put_claim(env, "b");
    assert_string_equal(env_run(env, "1m"), "");
    env_delete(env, KUBE_NODE_CLAIM, "a"); // expired, repaired, or by hand
    assert_says(env_run(env, "0s"), "current=1 desired=2 provision-count=1");
    assert_int_equal(claims(env), 3);
    env_free(env);
}

// Quirk fixed (lifecycle.md 10): claims that a command replaces are not replaced here too.
TEST(claims_pending_disruption_count_as_there) {
    TestEnv *env = with_pool("replicas: 3");

    put_claim(env, "a");
    put_claim(env, "b");
    state_mark_deleting(env_state(env), env_find(env, KUBE_NODE_CLAIM, "a"), true);
    assert_says(env_run(env, "0s"), "current=1 desired=3 provision-count=1");
    assert_int_equal(claims(env), 3);
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_create_that_fails_is_tried_again) {
    TestEnv *env = with_pool("replicas: 3");

    env_break(env, INTENT_CREATE, 2, ERR_IO, "the API server is away");
    env_run(env, "20s");
    assert_int_equal(claims(env), 3);
    env_free(env);
}

TEST(a_create_that_was_not_answered_is_looked_for_first) {
    TestEnv *env = with_pool("replicas: 3");
    const char *history;

    env_lose_answer(env, INTENT_CREATE, 1, ERR_TIMEOUT, "context deadline exceeded");
    env_break(env, INTENT_READ, 1, ERR_IO, "connection reset");
    history = env_run(env, "20s");
    assert_int_equal(env_times(history, "read nodeclaims.karpenter.sh karpenter.sh/nodepool=default"), 2);
    assert_int_equal(env_times(history, "create NodeClaim"), 3);
    assert_int_equal(claims(env), 3);
    env_free(env);
}

// While the watch lags, a created claim is in the State already.
TEST(a_slow_watch_makes_no_second_claim) {
    TestEnv *env = with_pool("replicas: 3");

    env_reconcile(env, "default");
    env_carry_out(env);
    env_put(env, "{kind: NodePool, metadata: {name: default, annotations: {note: x}}}");
    assert_string_equal(env_run(env, "1m"), "");
    assert_int_equal(claims(env), 3);
    env_free(env);
}

TEST(killed_after_each_intent_it_makes_no_claim_twice) {
    for (uint32_t after = 0; after < 4; after++) {
        TestEnv *env = with_pool("replicas: 4");

        env_die_after(env, after);
        env_run(env, "1m");
        assert_int_equal(claims(env), 4);
        env_free(env);
    }
}
