// nodepool.registrationhealth: reference lifecycle.md 5.4.
#include "ctl/support/env.h"

#include "ctl/pool/controllers.h"

static const char *health(TestEnv *env) {
    return env_condition(env, KUBE_NODE_POOL, "default", "NodeRegistrationHealthy");
}

static TestEnv *with_pool(void) {
    TestEnv *env = env_new(&pool_registration_health_controller, NULL);

    env_put(env, "{kind: KWOKNodeClass, metadata: {name: default}, status: {conditions: [Ready]}}");
    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {}}");
    env_run(env, "1s");
    return env;
}

// A claim of the pool, or of another owner with uid `owner`; launched or not by `status`.
static void put_claim_of(TestEnv *env, const char *name, const char *owner, const char *status) {
    env_put(env,
            "{kind: NodeClaim, metadata: {name: %s, labels: {karpenter.sh/nodepool: default}, ownerReferences: "
            "[{apiVersion: karpenter.sh/v1, kind: NodePool, name: default, uid: %s, blockOwnerDeletion: true}]},"
            " status: {conditions: [%s]}}",
            name, owner, status);
}

static void put_claim(TestEnv *env, const char *name, const char *status) {
    put_claim_of(env, name, env_part(env, KUBE_NODE_POOL, "default", "metadata.uid"), status);
}

static void registers(TestEnv *env, const char *name) {
    put_claim(env, name, "Launched");
    put_claim(env, name, "Launched, Registered");
    env_run(env, "0s");
}

// A claim that launches and times out.
static void times_out(TestEnv *env, const char *name) {
    put_claim(env, name, "Launched, Registered=Unknown/NodeNotFound");
    env_pass(env, "15m");
    env_remove(env, KUBE_NODE_CLAIM, name);
    env_run(env, "0s");
}

TEST(a_new_pool_is_unknown) {
    TestEnv *env = with_pool();

    assert_string_equal(health(env), "Unknown/AwaitingReconciliation: object is awaiting reconciliation");
    assert_string_equal(env_part(env, KUBE_NODE_POOL, "default", "status.nodeClassObservedGeneration"), "1");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(one_success_makes_it_healthy) {
    TestEnv *env = with_pool();

    registers(env, "a");
    assert_string_equal(health(env), "True/NodeRegistrationHealthy");
    env_free(env);
}

TEST(one_timeout_says_nothing_two_make_it_unhealthy) {
    TestEnv *env = with_pool();

    times_out(env, "a");
    assert_says(health(env), "Unknown/");
    times_out(env, "b");
    assert_string_equal(health(env), "False/RegistrationFailed: Failed to register node");
    env_free(env);
}

TEST(a_launch_that_timed_out_gives_its_own_reason) {
    TestEnv *env = with_pool();

    for (uint32_t i = 0; i < 2; i++) {
        put_claim(env, "a",
                  "{type: Launched, status: Unknown, reason: LaunchFailed, message: no quota, lastTransitionTime: "
                  "'2026-01-05T00:00:00Z'}");
        env_pass(env, "5m");
        env_remove(env, KUBE_NODE_CLAIM, "a");
        env_run(env, "0s");
    }
    assert_string_equal(health(env), "False/LaunchFailed: no quota");
    env_free(env);
}

// R083: a claim whose instance has ended goes before its time, and says why.
TEST(a_registration_that_failed_gives_its_own_reason) {
    TestEnv *env = with_pool();

    for (uint32_t i = 0; i < 2; i++) {
        put_claim(env, "a", "Launched, Registered=Unknown/NodeNotFound");
        put_claim(env, "a",
                  "Launched, {type: Registered, status: 'False', reason: KMSKeyInaccessible, message: no grant, "
                  "lastTransitionTime: '2026-01-05T00:00:00Z'}");
        env_remove(env, KUBE_NODE_CLAIM, "a");
        env_run(env, "0s");
    }
    assert_string_equal(health(env), "False/KMSKeyInaccessible: no grant");
    env_free(env);
}

// Two failures in the last four results are unhealthy, one is not.
TEST(the_last_four_decide) {
    TestEnv *env = with_pool();

    times_out(env, "a");
    times_out(env, "b");
    registers(env, "c"); // f f s
    assert_says(health(env), "False/");
    registers(env, "d"); // f f s s
    assert_says(health(env), "False/");
    registers(env, "e"); // f s s s
    assert_string_equal(health(env), "True/NodeRegistrationHealthy");
    times_out(env, "f"); // s s s f
    assert_string_equal(health(env), "True/NodeRegistrationHealthy");
    times_out(env, "g"); // s s f f
    assert_says(health(env), "False/RegistrationFailed");
    env_free(env);
}

// ICE, NodeClassNotReady, or a user's delete: gone before the time was up.
TEST(what_is_deleted_earlier_is_not_recorded) {
    TestEnv *env = with_pool();

    for (uint32_t i = 0; i < 4; i++) {
        put_claim(env, "a", "Launched=Unknown/LaunchFailed");
        env_pass(env, "4m59s");
        env_remove(env, KUBE_NODE_CLAIM, "a");
        env_run(env, "0s");
    }
    assert_says(health(env), "Unknown/");
    env_free(env);
}

// The watch reports the deletion a minute later: the time of the deletion counts.
TEST(a_slow_watch_makes_no_timeout) {
    TestEnv *env = with_pool();

    for (uint32_t i = 0; i < 2; i++) {
        env_put(env,
                "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination], labels: "
                "{karpenter.sh/nodepool: default}, ownerReferences: [{apiVersion: karpenter.sh/v1, kind: NodePool, "
                "name: default, uid: %s}]}, status: {conditions: [Launched=Unknown/LaunchFailed]}}",
                env_part(env, KUBE_NODE_POOL, "default", "metadata.uid"));
        env_pass(env, "4m30s");
        assert_int_equal(
            kube_remove(env_kube(env), (KubeRef){KUBE_NODE_CLAIM, SLICE(""), SLICE("a")}, &(KubeDeletion){0}, NULL),
            OK);
        env_pass(env, "1m");
        env_tell(env);
        env_run(env, "0s");
        env_remove(env, KUBE_NODE_CLAIM, "a");
    }
    assert_says(health(env), "Unknown/");
    env_free(env);
}

TEST(a_claim_of_an_earlier_pool_of_that_name_does_not_count) {
    TestEnv *env = with_pool();

    put_claim_of(env, "a", "somebody-else", "Launched");
    put_claim_of(env, "a", "somebody-else", "Launched, Registered");
    env_run(env, "0s");
    assert_says(health(env), "Unknown/");
    env_free(env);
}

TEST(another_generation_of_the_pool_begins_anew) {
    TestEnv *env = with_pool();

    times_out(env, "a");
    times_out(env, "b");
    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {weight: 3}}");
    env_run(env, "0s");
    assert_says(health(env), "Unknown/AwaitingReconciliation");
    times_out(env, "c"); // the two before are forgotten
    assert_says(health(env), "Unknown/");
    env_free(env);
}

TEST(another_generation_of_the_class_begins_anew) {
    TestEnv *env = with_pool();

    registers(env, "a");
    env_put(env, "{kind: KWOKNodeClass, metadata: {name: default}, spec: {note: x}}");
    env_run(env, "0s");
    assert_says(health(env), "Unknown/AwaitingReconciliation");
    assert_string_equal(env_part(env, KUBE_NODE_POOL, "default", "status.nodeClassObservedGeneration"), "2");
    env_free(env);
}

TEST(a_new_process_takes_over_what_the_condition_says) {
    TestEnv *env = with_pool();

    times_out(env, "a");
    times_out(env, "b");
    env_restart(env);
    env_run(env, "1s");
    assert_says(health(env), "False/");
    registers(env, "c"); // f f s: still two of four
    assert_says(health(env), "False/");
    registers(env, "d");
    registers(env, "e");
    assert_string_equal(health(env), "True/NodeRegistrationHealthy");
    env_restart(env);
    env_run(env, "1s");
    times_out(env, "f"); // s f
    assert_string_equal(health(env), "True/NodeRegistrationHealthy");
    times_out(env, "g"); // s f f
    assert_says(health(env), "False/");
    env_free(env);
}

TEST(it_is_no_part_of_ready) {
    TestEnv *env = with_pool();

    env_add(env, &pool_validation_controller);
    env_add(env, &pool_readiness_controller);
    times_out(env, "a");
    times_out(env, "b");
    assert_says(health(env), "False/");
    assert_string_equal(env_condition(env, KUBE_NODE_POOL, "default", "Ready"), "True/Ready");
    env_free(env);
}
