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

static void the_class_is_missing(void **state) {
    Stage *stage = with_class(NULL);

    (void)state;
    assert_string_equal(ready(stage), "False/NodeClassNotFound: NodeClass not found on cluster");
    assert_says(stage_condition(stage, KUBE_NODE_POOL, "default", "Ready"), "False/UnhealthyDependents");
    stage_free(stage);
}

static void the_class_is_deleting(void **state) {
    Stage *stage = with_class(", status: {conditions: [Ready]}");

    (void)state;
    stage_delete(stage, KUBE_KWOK_NODE_CLASS, "default");
    stage_run(stage, "0s");
    assert_string_equal(ready(stage), "False/NodeClassTerminating: NodeClass is Terminating");
    stage_free(stage);
}

static void the_class_does_not_say(void **state) {
    Stage *stage = with_class(", status: {conditions: [Other]}");

    (void)state;
    assert_string_equal(ready(stage), "False/NodeClassReadinessUnknown: Node Class Readiness Unknown");
    stage_free(stage);
}

static void the_class_says_unknown(void **state) {
    Stage *stage = with_class(", status: {conditions: [Ready=Unknown/Waiting]}");

    (void)state;
    assert_string_equal(ready(stage), "False/NodeClassReadinessUnknown: Node Class Readiness Unknown");
    stage_free(stage);
}

static void the_class_says_false_with_its_reason_and_message(void **state) {
    Stage *stage = with_class(", status: {conditions: [{type: Ready, status: 'False', reason: NoSubnets, message: "
                              "no subnets found, lastTransitionTime: '2026-01-05T00:00:00Z'}]}");

    (void)state;
    assert_string_equal(ready(stage), "False/NoSubnets: no subnets found");
    stage_free(stage);
}

static void the_class_is_ready(void **state) {
    Stage *stage = with_class(", status: {conditions: [Ready]}");

    (void)state;
    assert_string_equal(ready(stage), "True/NodeClassReady");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

// Ready: when the validation has succeeded too.
static void the_pool_is_ready_with_its_class_and_its_validation(void **state) {
    Stage *stage = with_class(", status: {conditions: [Ready]}");

    (void)state;
    stage_add(stage, &pool_validation_controller);
    stage_put(stage, "{kind: NodePool, metadata: {name: default, labels: {team: a}}}");
    stage_run(stage, "1s");
    assert_string_equal(stage_condition(stage, KUBE_NODE_POOL, "default", "Ready"), "True/Ready");
    stage_free(stage);
}

static void a_class_that_comes_later_is_seen(void **state) {
    Stage *stage = with_class(NULL);

    (void)state;
    stage_put(stage, "{kind: KWOKNodeClass, metadata: {name: default}, status: {conditions: [Ready]}}");
    stage_run(stage, "0s");
    assert_string_equal(ready(stage), "True/NodeClassReady");
    stage_remove(stage, KUBE_KWOK_NODE_CLASS, "default");
    stage_run(stage, "0s");
    assert_string_equal(ready(stage), "False/NodeClassNotFound: NodeClass not found on cluster");
    stage_free(stage);
}

static void a_conflict_is_tried_again_on_what_is_there_then(void **state) {
    Stage *stage = with_class(NULL);

    (void)state;
    stage_put_unseen(stage, "{kind: NodePool, metadata: {name: default}, status: {conditions: [Other]}}");
    stage_put_unseen(stage, "{kind: KWOKNodeClass, metadata: {name: default}, status: {conditions: [Ready]}}");
    stage_tell(stage);
    stage_break(stage, INTENT_PATCH, 1, ERR_CONFLICT, "the object has been modified");
    assert_does_not_say(stage_run(stage, "1s"), "Reconciler error");
    assert_string_equal(ready(stage), "True/NodeClassReady");
    stage_free(stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_class_is_missing),
        cmocka_unit_test(the_class_is_deleting),
        cmocka_unit_test(the_class_does_not_say),
        cmocka_unit_test(the_class_says_unknown),
        cmocka_unit_test(the_class_says_false_with_its_reason_and_message),
        cmocka_unit_test(the_class_is_ready),
        cmocka_unit_test(the_pool_is_ready_with_its_class_and_its_validation),
        cmocka_unit_test(a_class_that_comes_later_is_seen),
        cmocka_unit_test(a_conflict_is_tried_again_on_what_is_there_then),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
