// nodeclaim.lifecycle: labels that the cloud knows later than the launch hold the registration up. Row A20.
#include "base/time.h"
#include "ctl/claim/late_labels.h"
#include "ctl/support/claim_env.h"

#define KEY "example.com/partition"

// The claim "a" is launched into a partition that the cloud has not told, and its Node has joined.
static TestEnv *with_open_partition(void) {
    TestEnv *env = claim_env();

    env_cloud(env)->late_labels[0] = KEY;
    env_cloud(env)->label = KEY "=";
    put_claim(env, "");
    env_run(env, "1s");
    put_joining_node(env, "");
    return env;
}

TEST(A20_a_node_registers_once_the_cloud_knows_its_labels) {
    TestEnv *env = with_open_partition();

    env_run(env, "10s");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Registered"),
                        "Unknown/RegistrationHookPending: " KEY " is not known yet");
    assert_says(env_part(env, KUBE_NODE, "node-a", "spec.taints"), "karpenter.sh/unregistered");
    env_cloud(env)->label = KEY "=3";
    env_run(env, "30s");
    assert_says(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.labels"), "\"" KEY "\":\"3\"");
    assert_says(env_part(env, KUBE_NODE, "node-a", "metadata.labels"), "\"" KEY "\":\"3\"");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Registered=True");
    env_free(env);
}

TEST(A20_the_cloud_is_asked_less_and_less_often) {
    TestEnv *env = with_open_partition();

    env_run(env, "28s"); // at 0, 1, 3, 7 and 15 s
    assert_int_equal(env_cloud(env)->gets, 5);
    env_run(env, "5m"); // at 31 s, and each 30 s
    assert_int_equal(env_cloud(env)->gets, 15);
    env_free(env);
}

TEST(A20_a_lookup_that_fails_is_made_again) {
    TestEnv *env = with_open_partition();

    env_cloud(env)->label = KEY "=3";
    env_break(env, INTENT_GET_INSTANCE, 3, ERR_THROTTLED, "slow down");
    env_run(env, "13s");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Registered=Unknown");
    env_run(env, "20s");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Registered=True");
    env_free(env);
}

// A template's own label may be empty for ever.
TEST(A20_other_empty_labels_hold_nothing_up) {
    TestEnv *env = claim_env();

    env_cloud(env)->late_labels[0] = KEY;
    env_cloud(env)->label = "example.com/other=";
    put_claim(env, "");
    env_run(env, "1s");
    put_joining_node(env, "");
    env_run(env, "1s");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Registered=True");
    assert_int_equal(env_cloud(env)->gets, 0);
    env_free(env);
}
