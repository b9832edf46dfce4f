// nodepool.readiness: the rows of reference lifecycle.md 5.3.
#include "ctl/support/stage.h"

#include "ctl/pool/controllers.h"

static Stage *with_class(const char *class) {
    Stage *stage = stage_new(&pool_readiness_controller, NULL);

    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {}}");
    if (class)
        stage_put(stage, "{kind: KWOKNodeClass, metadata: {name: default, finalizers: [example.com/hold]}%s}", class);
    stage_run(stage, "0s");
    return stage;
}

static const char *ready(Stage *stage) {
    return stage_condition(stage, KUBE_NODE_POOL, "default", "NodeClassReady");
}

TEST(the_class_is_missing) {
    Stage *stage = with_class(NULL);

    assert_string_equal(ready(stage), "False/NodeClassNotFound: NodeClass not found on cluster");
    assert_says(stage_condition(stage, KUBE_NODE_POOL, "default", "Ready"), "False/UnhealthyDependents");
    stage_free(stage);
}

TEST(the_class_is_deleting) {
    Stage *stage = with_class(", status: {conditions: [Ready]}");

    stage_delete(stage, KUBE_KWOK_NODE_CLASS, "default");
    stage_run(stage, "0s");
    assert_string_equal(ready(stage), "False/NodeClassTerminating: NodeClass is Terminating");
    stage_free(stage);
}

TEST(the_class_does_not_say) {
    Stage *stage = with_class(", status: {conditions: [Other]}");

    assert_string_equal(ready(stage), "False/NodeClassReadinessUnknown: Node Class Readiness Unknown");
    stage_free(stage);
}

TEST(the_class_says_unknown) {
    Stage *stage = with_class(", status: {conditions: [Ready=Unknown/Waiting]}");

    assert_string_equal(ready(stage), "False/NodeClassReadinessUnknown: Node Class Readiness Unknown");
    stage_free(stage);
}

TEST(the_class_says_false_with_its_reason_and_message) {
    Stage *stage = with_class(", status: {conditions: [{type: Ready, status: 'False', reason: NoSubnets, message: "
                              "no subnets found, lastTransitionTime: '2026-01-05T00:00:00Z'}]}");

    assert_string_equal(ready(stage), "False/NoSubnets: no subnets found");
    stage_free(stage);
}

TEST(the_class_is_ready) {
    Stage *stage = with_class(", status: {conditions: [Ready]}");

    assert_string_equal(ready(stage), "True/NodeClassReady");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

// Ready: when the validation has succeeded too.
TEST(the_pool_is_ready_with_its_class_and_its_validation) {
    Stage *stage = with_class(", status: {conditions: [Ready]}");

    stage_add(stage, &pool_validation_controller);
    stage_put(stage, "{kind: NodePool, metadata: {name: default, labels: {team: a}}}");
    stage_run(stage, "1s");
    assert_string_equal(stage_condition(stage, KUBE_NODE_POOL, "default", "Ready"), "True/Ready");
    stage_free(stage);
}

TEST(a_class_that_comes_later_is_seen) {
    Stage *stage = with_class(NULL);

    stage_put(stage, "{kind: KWOKNodeClass, metadata: {name: default}, status: {conditions: [Ready]}}");
    stage_run(stage, "0s");
    assert_string_equal(ready(stage), "True/NodeClassReady");
    stage_remove(stage, KUBE_KWOK_NODE_CLASS, "default");
    stage_run(stage, "0s");
    assert_string_equal(ready(stage), "False/NodeClassNotFound: NodeClass not found on cluster");
    stage_free(stage);
}

TEST(a_conflict_is_tried_again_on_what_is_there_then) {
    Stage *stage = with_class(NULL);

    stage_put_unseen(stage, "{kind: NodePool, metadata: {name: default}, status: {conditions: [Other]}}");
    stage_put_unseen(stage, "{kind: KWOKNodeClass, metadata: {name: default}, status: {conditions: [Ready]}}");
    stage_tell(stage);
    stage_break(stage, INTENT_PATCH, 1, ERR_CONFLICT, "the object has been modified");
    assert_does_not_say(stage_run(stage, "1s"), "Reconciler error");
    assert_string_equal(ready(stage), "True/NodeClassReady");
    stage_free(stage);
}
