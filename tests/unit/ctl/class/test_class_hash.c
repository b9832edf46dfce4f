// nodeclass.hash: reference aws.md 7.11. Upstream's area: nodeclass hash. What both kinds of hashes share:
// ../pool/test_hash.c.
#include "ctl/class/class_env.h"

static const char *const HASH = "metadata.annotations.'karpenter.k8s.aws/ec2nodeclass-hash'";
static const char *const VERSION = "metadata.annotations.'karpenter.k8s.aws/ec2nodeclass-hash-version'";

#define HASHES(hash, version)                                                                                          \
    ", annotations: {karpenter.k8s.aws/ec2nodeclass-hash: '" hash                                                      \
    "', karpenter.k8s.aws/ec2nodeclass-hash-version: " version "}"

static const char *of_class(TestEnv *env, const char *part) {
    return env_part(env, KUBE_EC2_NODE_CLASS, "default", part);
}

static const char *of_claim(TestEnv *env, const char *name, const char *part) {
    return env_part(env, KUBE_NODE_CLAIM, name, part);
}

static TestEnv *hash_env(void) {
    TestEnv *env = class_env(&class_controller);

    env_add(env, &class_hash_controller);
    return env;
}

TEST(a_class_is_stamped_with_hash_and_version) {
    TestEnv *env = hash_env();

    class_put(env);
    env_run(env, "1s");
    assert_string_equal(of_class(env, HASH), "\"77\"");
    assert_string_equal(of_class(env, VERSION), "\"v6\"");
    env_free(env);
}

TEST(a_class_that_is_stamped_is_looked_up_once_only) {
    TestEnv *env = hash_env();

    class_put(env);
    env_run(env, "1s");
    assert_int_equal(env_cloud(env)->lookups, 2);
    env_run(env, "5m");
    assert_int_equal(env_cloud(env)->lookups, 3);
    env_free(env);
}

TEST(a_change_of_the_spec_does_not_touch_the_claims) {
    TestEnv *env = hash_env();

    class_put(env);
    env_run(env, "1s");
    class_put_claim(env, "a", HASHES("77", "v6"));
    env_cloud(env)->node_class.hash.value = SLICE("78");
    env_put(env, "{kind: EC2NodeClass, metadata: {name: default}, spec: {role: other}}");
    env_run(env, "1s");
    assert_string_equal(of_class(env, HASH), "\"78\"");
    assert_string_equal(of_claim(env, "a", HASH), "\"77\"");
    env_free(env);
}

static TestEnv *with_old_version(void) {
    TestEnv *env = hash_env();

    class_put_claim(env, "a", HASHES("1", "v5"));
    class_put_claim(env, "b", HASHES("1", "v5"));
    env_put(env, "{kind: NodeClaim, metadata: {name: b}, status: {conditions: [Drifted]}}");
    class_put_claim(env, "c", HASHES("7", "v6"));
    class_put_claim(env, "d", "");
    env_put(env, "{kind: NodeClaim, metadata: {name: e" HASHES(
                     "1", "v5") "}, spec: {nodeClassRef: {group: "
                                "karpenter.k8s.aws, kind: EC2NodeClass, name: other}}}");
    class_put(env);
    env_put(env, "{kind: EC2NodeClass, metadata: {name: default" HASHES("1", "v5") "}}");
    return env;
}

static void assert_current(TestEnv *env) {
    assert_string_equal(of_claim(env, "a", HASH), "\"77\"");
    assert_string_equal(of_claim(env, "a", VERSION), "\"v6\"");
    assert_string_equal(of_claim(env, "b", HASH), "\"1\""); // drifted, and stays so
    assert_string_equal(of_claim(env, "b", VERSION), "\"v6\"");
    assert_string_equal(of_claim(env, "c", HASH), "\"7\""); // stamped already
    assert_string_equal(of_claim(env, "d", HASH), "\"77\"");
    assert_string_equal(of_claim(env, "e", HASH), "\"1\""); // of another class
    assert_string_equal(of_class(env, HASH), "\"77\"");
    assert_string_equal(of_class(env, VERSION), "\"v6\"");
}

TEST(a_new_version_of_the_hash_drifts_nothing) {
    TestEnv *env = with_old_version();

    env_run(env, "1s");
    assert_current(env);
    env_free(env);
}

TEST(the_class_is_stamped_behind_its_claims) {
    TestEnv *env = with_old_version();
    const char *said = env_run(env, "1s");
    const char *class = strstr(said, "patch ec2nodeclass/default {\"metadata\":{\"annotations\"");

    assert_non_null(class);
    assert_does_not_say(class, "patch nodeclaim");
    assert_int_equal(env_times(said, "patch nodeclaim"), 3);
    env_free(env);
}

TEST(killed_between_any_two_stamps_it_goes_on_where_it_stopped) {
    for (uint32_t after = 0; after < 8; after++) {
        TestEnv *env = with_old_version();

        env_die_after(env, after);
        env_run(env, "10s");
        assert_current(env);
        env_free(env);
    }
}

TEST(a_claim_that_went_meanwhile_does_not_stop_it) {
    TestEnv *env = with_old_version();

    env_run(env, "0s"); // the finalizer, the status
    env_free(env);
    env = with_old_version();
    env_reconcile(env, "default");
    env_carry_out(env);
    env_break(env, INTENT_PATCH, 1, ERR_NOT_FOUND, "nodeclaims.karpenter.sh \"a\" not found");
    assert_does_not_say(env_run(env, "10s"), "Reconciler error");
    assert_current(env);
    env_free(env);
}

TEST(a_failure_is_logged_and_tried_again) {
    TestEnv *env = with_old_version();

    env_reconcile(env, "default");
    env_carry_out(env);
    env_break(env, INTENT_PATCH, 1, ERR_IO, "the API server is away");
    assert_says(env_run(env, "10s"), "log error Reconciler error EC2NodeClass=default error=the API server is away");
    assert_current(env);
    env_free(env);
}

TEST(a_lookup_that_fails_is_tried_again) {
    TestEnv *env = with_old_version();

    env_reconcile(env, "default");
    env_carry_out(env);
    env_break(env, INTENT_RESOLVE_CLASS, 2, ERR_THROTTLED, "slow down");
    assert_int_equal(env_times(env_run(env, "10s"), "error=slow down"), 2);
    assert_current(env);
    env_free(env);
}

TEST(a_cloud_without_a_hash_writes_none) {
    TestEnv *env = hash_env();

    env_cloud(env)->node_class.hash = env_cloud(env)->node_class.hash_version = (TextEntry){0};
    class_put(env);
    env_run(env, "10m");
    assert_string_equal(of_class(env, HASH), "");
    assert_false(env_asked(env, &class_hash_controller, "default"));
    env_free(env);
}

TEST(a_hash_that_somebody_changed_is_written_again) {
    TestEnv *env = hash_env();

    class_put(env);
    env_run(env, "1s");
    env_put(env, "{kind: EC2NodeClass, metadata: {name: default" HASHES("9", "v6") "}}");
    env_run(env, "6m");
    assert_string_equal(of_class(env, HASH), "\"77\"");
    env_free(env);
}
