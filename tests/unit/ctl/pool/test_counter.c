// nodepool.counter: reference lifecycle.md 5.1.
#include "ctl/support/env.h"

#include "ctl/pool/controllers.h"

static TestEnv *with_pool(void) {
    TestEnv *env = env_new(&pool_counter_controller, NULL);

    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {}}");
    return env;
}

static void put_claim(TestEnv *env, const char *name, const char *status) {
    env_put(env, "{kind: NodeClaim, metadata: {name: %s, labels: {karpenter.sh/nodepool: default}}, status: {%s}}",
            name, status);
}

TEST(a_pool_without_nodes_counts_five_zeros) {
    TestEnv *env = with_pool();

    env_run(env, "0s");
    assert_string_equal(env_part(env, KUBE_NODE_POOL, "default", "status.resources"),
                        "{\"cpu\":\"0\",\"memory\":\"0\",\"pods\":\"0\",\"ephemeral-storage\":\"0\",\"nodes\":\"0\"}");
    assert_string_equal(env_part(env, KUBE_NODE_POOL, "default", "status.nodes"), "0");
    env_free(env);
}

TEST(nodes_and_claims_are_counted_within_five_seconds) {
    TestEnv *env = with_pool();

    env_run(env, "10s");
    put_claim(env, "a",
              "providerID: 'kwok://a', capacity: {cpu: '4', memory: 16Gi, pods: '110', example.com/gpu: '1'}");
    put_claim(env, "b", "providerID: 'kwok://b', capacity: {cpu: 3500m, memory: 8Gi, pods: '110'}");
    assert_string_equal(env_run(env, "4s"), "");
    env_run(env, "1s");
    assert_string_equal(env_part(env, KUBE_NODE_POOL, "default", "status.resources"),
                        "{\"cpu\":\"7500m\",\"memory\":\"24Gi\",\"pods\":\"220\",\"ephemeral-storage\":\"0\",\"nodes\":"
                        "\"2\",\"example.com/gpu\":\"1\"}");
    assert_string_equal(env_part(env, KUBE_NODE_POOL, "default", "status.nodes"), "2");
    env_free(env);
}

// Claims that are being deleted do not count; a resource that no claim has any more is removed.
TEST(claims_that_go_away_do_not_count) {
    TestEnv *env = with_pool();

    env_put(env, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination], labels: "
                 "{karpenter.sh/nodepool: default}}, status: {providerID: 'kwok://a', capacity: {cpu: '4', "
                 "example.com/gpu: '1'}}}");
    put_claim(env, "b", "providerID: 'kwok://b', capacity: {cpu: '2'}");
    env_run(env, "10s");
    assert_string_equal(env_part(env, KUBE_NODE_POOL, "default", "status.nodes"), "2");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_run(env, "5s");
    assert_string_equal(env_part(env, KUBE_NODE_POOL, "default", "status.nodes"), "1");
    assert_string_equal(env_part(env, KUBE_NODE_POOL, "default", "status.resources.cpu"), "\"2\"");
    assert_string_equal(env_part(env, KUBE_NODE_POOL, "default", "status.resources.'example.com/gpu'"), "");
    env_free(env);
}

TEST(a_busy_pool_is_counted_once_in_five_seconds) {
    TestEnv *env = with_pool();
    uint32_t patches = 0;

    env_run(env, "10s");
    for (uint32_t i = 0; i < 50; i++) {
        char name[16];

        snprintf(name, sizeof name, "a%u", i);
        put_claim(env, name, "capacity: {cpu: '1'}");
        patches += env_times(env_run(env, "1s"), "patch nodepool/default status");
    }
    assert_true(patches >= 9 && patches <= 10);
    env_free(env);
}

TEST(nothing_is_written_when_nothing_is_different) {
    TestEnv *env = with_pool();

    put_claim(env, "a", "capacity: {cpu: '1'}");
    env_run(env, "10s");
    env_put(env, "{kind: NodeClaim, metadata: {name: a, annotations: {note: x}}}");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_count_written_by_others_is_corrected) {
    TestEnv *env = with_pool();

    env_run(env, "10s");
    env_put(env, "{kind: NodePool, metadata: {name: default}, status: {nodes: 7}}");
    env_run(env, "5s");
    assert_string_equal(env_part(env, KUBE_NODE_POOL, "default", "status.nodes"), "0");
    env_free(env);
}

TEST(a_pool_of_another_provider_is_left_alone) {
    TestEnv *env = env_new(&pool_counter_controller, NULL);

    env_put(env, "{kind: NodePool, metadata: {name: other}, spec: {template: {spec: {nodeClassRef: {group: "
                 "example.com, kind: ThingClass, name: default}}}}}");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}
