// nodepool.registrationhealth: reference lifecycle.md 5.4.
#include "ctl/support/stage.h"

#include "ctl/pool/controllers.h"

static const char *health(Stage *stage) {
    return stage_condition(stage, KUBE_NODE_POOL, "default", "NodeRegistrationHealthy");
}

static Stage *with_pool(void) {
    Stage *stage = stage_new(&pool_registration_health_controller, NULL);

    stage_put(stage, "{kind: KWOKNodeClass, metadata: {name: default}, status: {conditions: [Ready]}}");
    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {}}");
    stage_run(stage, "1s");
    return stage;
}

// Of the pool, unless `owner` is the uid of something else. It has launched when `status` says so.
static void put_claim_of(Stage *stage, const char *name, const char *owner, const char *status) {
    stage_put(stage,
              "{kind: NodeClaim, metadata: {name: %s, labels: {karpenter.sh/nodepool: default}, ownerReferences: "
              "[{apiVersion: karpenter.sh/v1, kind: NodePool, name: default, uid: %s, blockOwnerDeletion: true}]},"
              " status: {conditions: [%s]}}",
              name, owner, status);
}

static void put_claim(Stage *stage, const char *name, const char *status) {
    put_claim_of(stage, name, stage_part(stage, KUBE_NODE_POOL, "default", "metadata.uid"), status);
}

static void registers(Stage *stage, const char *name) {
    put_claim(stage, name, "Launched");
    put_claim(stage, name, "Launched, Registered");
    stage_run(stage, "0s");
}

// It has launched and does not come up.
static void times_out(Stage *stage, const char *name) {
    put_claim(stage, name, "Launched, Registered=Unknown/NodeNotFound");
    stage_pass(stage, "15m");
    stage_remove(stage, KUBE_NODE_CLAIM, name);
    stage_run(stage, "0s");
}

TEST(a_new_pool_is_unknown) {
    Stage *stage = with_pool();

    assert_string_equal(health(stage), "Unknown/AwaitingReconciliation: object is awaiting reconciliation");
    assert_string_equal(stage_part(stage, KUBE_NODE_POOL, "default", "status.nodeClassObservedGeneration"), "1");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

TEST(one_success_makes_it_healthy) {
    Stage *stage = with_pool();

    registers(stage, "a");
    assert_string_equal(health(stage), "True/NodeRegistrationHealthy");
    stage_free(stage);
}

TEST(one_timeout_says_nothing_two_make_it_unhealthy) {
    Stage *stage = with_pool();

    times_out(stage, "a");
    assert_says(health(stage), "Unknown/");
    times_out(stage, "b");
    assert_string_equal(health(stage), "False/RegistrationFailed: Failed to register node");
    stage_free(stage);
}

TEST(a_launch_that_timed_out_gives_its_own_reason) {
    Stage *stage = with_pool();

    for (uint32_t i = 0; i < 2; i++) {
        put_claim(stage, "a",
                  "{type: Launched, status: Unknown, reason: LaunchFailed, message: no quota, lastTransitionTime: "
                  "'2026-01-05T00:00:00Z'}");
        stage_pass(stage, "5m");
        stage_remove(stage, KUBE_NODE_CLAIM, "a");
        stage_run(stage, "0s");
    }
    assert_string_equal(health(stage), "False/LaunchFailed: no quota");
    stage_free(stage);
}

// The last four count: two failures of four are too many, one is not.
TEST(the_last_four_decide) {
    Stage *stage = with_pool();

    times_out(stage, "a");
    times_out(stage, "b");
    registers(stage, "c"); // f f s
    assert_says(health(stage), "False/");
    registers(stage, "d"); // f f s s
    assert_says(health(stage), "False/");
    registers(stage, "e"); // f s s s
    assert_string_equal(health(stage), "True/NodeRegistrationHealthy");
    times_out(stage, "f"); // s s s f
    assert_string_equal(health(stage), "True/NodeRegistrationHealthy");
    times_out(stage, "g"); // s s f f
    assert_says(health(stage), "False/RegistrationFailed");
    stage_free(stage);
}

// ICE, NodeClassNotReady, or a user's delete: gone before the time was up.
TEST(what_is_deleted_earlier_is_not_recorded) {
    Stage *stage = with_pool();

    for (uint32_t i = 0; i < 4; i++) {
        put_claim(stage, "a", "Launched=Unknown/LaunchFailed");
        stage_pass(stage, "4m59s");
        stage_remove(stage, KUBE_NODE_CLAIM, "a");
        stage_run(stage, "0s");
    }
    assert_says(health(stage), "Unknown/");
    stage_free(stage);
}

// The watch tells of the deletion a minute later: the deletion's own time counts.
TEST(a_slow_watch_makes_no_timeout) {
    Stage *stage = with_pool();

    for (uint32_t i = 0; i < 2; i++) {
        stage_put(stage,
                  "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination], labels: "
                  "{karpenter.sh/nodepool: default}, ownerReferences: [{apiVersion: karpenter.sh/v1, kind: NodePool, "
                  "name: default, uid: %s}]}, status: {conditions: [Launched=Unknown/LaunchFailed]}}",
                  stage_part(stage, KUBE_NODE_POOL, "default", "metadata.uid"));
        stage_pass(stage, "4m30s");
        assert_int_equal(
            kube_remove(stage_kube(stage), (KubeRef){KUBE_NODE_CLAIM, SLICE(""), SLICE("a")}, &(KubeDeletion){0}, NULL),
            OK);
        stage_pass(stage, "1m");
        stage_tell(stage);
        stage_run(stage, "0s");
        stage_remove(stage, KUBE_NODE_CLAIM, "a");
    }
    assert_says(health(stage), "Unknown/");
    stage_free(stage);
}

TEST(a_claim_of_an_earlier_pool_of_that_name_does_not_count) {
    Stage *stage = with_pool();

    put_claim_of(stage, "a", "somebody-else", "Launched");
    put_claim_of(stage, "a", "somebody-else", "Launched, Registered");
    stage_run(stage, "0s");
    assert_says(health(stage), "Unknown/");
    stage_free(stage);
}

TEST(another_generation_of_the_pool_begins_anew) {
    Stage *stage = with_pool();

    times_out(stage, "a");
    times_out(stage, "b");
    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {weight: 3}}");
    stage_run(stage, "0s");
    assert_says(health(stage), "Unknown/AwaitingReconciliation");
    times_out(stage, "c"); // the two before are forgotten
    assert_says(health(stage), "Unknown/");
    stage_free(stage);
}

TEST(another_generation_of_the_class_begins_anew) {
    Stage *stage = with_pool();

    registers(stage, "a");
    stage_put(stage, "{kind: KWOKNodeClass, metadata: {name: default}, spec: {note: x}}");
    stage_run(stage, "0s");
    assert_says(health(stage), "Unknown/AwaitingReconciliation");
    assert_string_equal(stage_part(stage, KUBE_NODE_POOL, "default", "status.nodeClassObservedGeneration"), "2");
    stage_free(stage);
}

TEST(a_new_process_takes_over_what_the_condition_says) {
    Stage *stage = with_pool();

    times_out(stage, "a");
    times_out(stage, "b");
    stage_restart(stage);
    stage_run(stage, "1s");
    assert_says(health(stage), "False/");
    registers(stage, "c"); // f f s: still two of four
    assert_says(health(stage), "False/");
    registers(stage, "d");
    registers(stage, "e");
    assert_string_equal(health(stage), "True/NodeRegistrationHealthy");
    stage_restart(stage);
    stage_run(stage, "1s");
    times_out(stage, "f"); // s f
    assert_string_equal(health(stage), "True/NodeRegistrationHealthy");
    times_out(stage, "g"); // s f f
    assert_says(health(stage), "False/");
    stage_free(stage);
}

TEST(it_is_no_part_of_ready) {
    Stage *stage = with_pool();

    stage_add(stage, &pool_validation_controller);
    stage_add(stage, &pool_readiness_controller);
    times_out(stage, "a");
    times_out(stage, "b");
    assert_says(health(stage), "False/");
    assert_string_equal(stage_condition(stage, KUBE_NODE_POOL, "default", "Ready"), "True/Ready");
    stage_free(stage);
}
