// nodepool.readiness: the rows of reference lifecycle.md 5.3.
#include "ctl/support/env.h"

#include "ctl/pool/controllers.h"

static TestEnv *with_class(const char *class) {
    TestEnv *env = env_new(&pool_readiness_controller, NULL);

    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {}}");
    if (class)
        env_put(env, "{kind: KWOKNodeClass, metadata: {name: default, finalizers: [example.com/hold]}%s}", class);
    env_run(env, "0s");
    return env;
}

static const char *ready(TestEnv *env) {
    return env_condition(env, KUBE_NODE_POOL, "default", "NodeClassReady");
}

TEST(the_class_is_missing) {
    TestEnv *env = with_class(NULL);

    assert_string_equal(ready(env), "False/NodeClassNotFound: NodeClass not found on cluster");
    assert_says(env_condition(env, KUBE_NODE_POOL, "default", "Ready"), "False/UnhealthyDependents");
    env_free(env);
}

TEST(the_class_is_deleting) {
    TestEnv *env = with_class(", status: {conditions: [Ready]}");

    env_delete(env, KUBE_KWOK_NODE_CLASS, "default");
    env_run(env, "0s");
    assert_string_equal(ready(env), "False/NodeClassTerminating: NodeClass is Terminating");
    env_free(env);
}

TEST(the_class_does_not_say) {
    TestEnv *env = with_class(", status: {conditions: [Other]}");

    assert_string_equal(ready(env), "False/NodeClassReadinessUnknown: Node Class Readiness Unknown");
    env_free(env);
}

TEST(the_class_says_unknown) {
    TestEnv *env = with_class(", status: {conditions: [Ready=Unknown/Waiting]}");

    assert_string_equal(ready(env), "False/NodeClassReadinessUnknown: Node Class Readiness Unknown");
    env_free(env);
}

TEST(the_class_says_false_with_its_reason_and_message) {
    TestEnv *env = with_class(", status: {conditions: [{type: Ready, status: 'False', reason: NoSubnets, message: "
                              "no subnets found, lastTransitionTime: '2026-01-05T00:00:00Z'}]}");

    assert_string_equal(ready(env), "False/NoSubnets: no subnets found");
    env_free(env);
}

TEST(the_class_is_ready) {
    TestEnv *env = with_class(", status: {conditions: [Ready]}");

    assert_string_equal(ready(env), "True/NodeClassReady");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

// Ready: when the validation has succeeded too.
TEST(the_pool_is_ready_with_its_class_and_its_validation) {
    TestEnv *env = with_class(", status: {conditions: [Ready]}");

    env_add(env, &pool_validation_controller);
    env_put(env, "{kind: NodePool, metadata: {name: default, labels: {team: a}}}");
    env_run(env, "1s");
    assert_string_equal(env_condition(env, KUBE_NODE_POOL, "default", "Ready"), "True/Ready");
    env_free(env);
}

TEST(a_class_that_comes_later_is_seen) {
    TestEnv *env = with_class(NULL);

    env_put(env, "{kind: KWOKNodeClass, metadata: {name: default}, status: {conditions: [Ready]}}");
    env_run(env, "0s");
    assert_string_equal(ready(env), "True/NodeClassReady");
    env_remove(env, KUBE_KWOK_NODE_CLASS, "default");
    env_run(env, "0s");
    assert_string_equal(ready(env), "False/NodeClassNotFound: NodeClass not found on cluster");
    env_free(env);
}

TEST(a_conflict_is_tried_again_on_what_is_there_then) {
    TestEnv *env = with_class(NULL);

    env_put_unseen(env, "{kind: NodePool, metadata: {name: default}, status: {conditions: [Other]}}");
    env_put_unseen(env, "{kind: KWOKNodeClass, metadata: {name: default}, status: {conditions: [Ready]}}");
    env_tell(env);
    env_break(env, INTENT_PATCH, 1, ERR_CONFLICT, "the object has been modified");
    assert_does_not_say(env_run(env, "1s"), "Reconciler error");
    assert_string_equal(ready(env), "True/NodeClassReady");
    env_free(env);
}
