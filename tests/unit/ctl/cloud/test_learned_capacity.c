// providers.instancetype.capacity: reference aws.md 7.5. Upstream's area: instance type capacity.
#include "ctl/class/class_env.h"
#include "ctl/cloud/controllers.h"

#define OURS "karpenter.k8s.aws/ec2nodeclass: default"

static void put(TestEnv *env, const char *labels, const char *memory) {
    env_put(env,
            "{kind: NodeClaim, metadata: {name: a}, spec: {" EC2_REF "}, status: {providerID: 'kwok://a'}}\n---\n"
            "{kind: Node, metadata: {name: node-a, labels: {%s}}, spec: {providerID: 'kwok://a'}, status: {capacity: "
            "{memory: %s}}}",
            labels, memory);
}

TEST(a_node_that_is_registered_is_learned_from_once) {
    TestEnv *env = class_env(&learned_capacity_controller);

    put(env, OURS, "7800Mi");
    assert_string_equal(env_run(env, "1m"), "");
    env_put(env, "{kind: Node, metadata: {name: node-a, labels: {karpenter.sh/registered: 'true'}}}");
    assert_string_equal(env_run(env, "1m"), "+0s learn a\n");
    assert_int_equal(env_cloud(env)->learned, INT64_C(7800) << 20);
    env_put(env, "{kind: Node, metadata: {name: node-a, labels: {other: label}}}");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}

TEST(nodes_that_are_registered_are_learned_from_at_the_start) {
    TestEnv *env = class_env(&learned_capacity_controller);

    put(env, OURS ", karpenter.sh/registered: 'true'", "7800Mi");
    env_run(env, "1m");
    env_restart(env);
    assert_string_equal(env_run(env, "1m"), "+0s learn a\n");
    env_free(env);
}

TEST(memory_that_is_reported_late_is_learned) {
    TestEnv *env = class_env(&learned_capacity_controller);

    put(env, OURS ", karpenter.sh/registered: 'true'", "'0'");
    assert_string_equal(env_run(env, "1m"), "");
    env_put(env, "{kind: Node, metadata: {name: node-a}, status: {capacity: {memory: 1Gi}}}");
    assert_string_equal(env_run(env, "1m"), "+0s learn a\n");
    env_free(env);
}

TEST(of_nodes_of_others_nothing_is_learned) {
    TestEnv *env = class_env(&learned_capacity_controller);

    put(env, "karpenter.sh/registered: 'true'", "1Gi");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}

TEST(of_a_node_without_a_claim_nothing_is_learned) {
    TestEnv *env = class_env(&learned_capacity_controller);

    env_put(env, "{kind: Node, metadata: {name: node-a, labels: {" OURS ", karpenter.sh/registered: 'true'}}, spec: "
                 "{providerID: 'kwok://z'}, status: {capacity: {memory: 1Gi}}}");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}

TEST(a_failure_is_logged_and_left_to_the_next_node) {
    TestEnv *env = class_env(&learned_capacity_controller);

    put(env, OURS ", karpenter.sh/registered: 'true'", "1Gi");
    env_break(env, INTENT_LEARN, 5, ERR_IO, "no answer");
    assert_int_equal(env_times(env_run(env, "1h"), "error=no answer"), 1);
    assert_int_equal(env_cloud(env)->learns, 1);
    env_free(env);
}

TEST(a_cloud_that_learns_nothing_is_told_nothing) {
    TestEnv *env = class_env(&learned_capacity_controller);

    env_cloud(env)->is_plain = true;
    put(env, OURS ", karpenter.sh/registered: 'true'", "1Gi");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}
