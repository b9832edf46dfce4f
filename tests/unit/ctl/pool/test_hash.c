// nodepool.hash: reference lifecycle.md 5.2. The hash itself: model/hash/test_nodepool_hash.c.
#include "ctl/support/env.h"

#include "ctl/pool/controllers.h"

static const char *const HASH = "metadata.annotations.'karpenter.sh/nodepool-hash'";
static const char *const VERSION = "metadata.annotations.'karpenter.sh/nodepool-hash-version'";

static const char *of_pool(TestEnv *env, const char *part) {
    return env_part(env, KUBE_NODE_POOL, "default", part);
}

static const char *of_claim(TestEnv *env, const char *name, const char *part) {
    return env_part(env, KUBE_NODE_CLAIM, name, part);
}

// The vectors of lifecycle.md 5.2: KWOKNodeClass/default/karpenter.kwok.sh with 720h, with Never.
TEST(the_pool_is_stamped_with_hash_and_version) {
    TestEnv *env = env_new(&pool_hash_controller, NULL);

    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {template: {spec: {expireAfter: 720h}}}}");
    env_run(env, "0s");
    assert_string_equal(of_pool(env, HASH), "\"12745407319442031341\"");
    assert_string_equal(of_pool(env, VERSION), "\"v3\"");
    assert_string_equal(env_run(env, "1h"), "");
    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {template: {spec: {expireAfter: Never}}}}");
    env_run(env, "0s");
    assert_string_equal(of_pool(env, HASH), "\"7428780003907761376\"");
    env_free(env);
}

// Drift is found by comparing: the claims keep the hash that they were made with.
TEST(a_change_of_the_template_does_not_touch_the_claims) {
    TestEnv *env = env_new(&pool_hash_controller, NULL);

    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {}}");
    env_put(env, "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.sh/nodepool: default}, annotations: "
                 "{karpenter.sh/nodepool-hash: '1', karpenter.sh/nodepool-hash-version: v3}}}");
    env_run(env, "0s");
    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {template: {spec: {expireAfter: Never}}}}");
    assert_int_equal(env_times(env_run(env, "1h"), "patch"), 1);
    assert_string_equal(of_claim(env, "a", HASH), "\"1\"");
    env_free(env);
}

static TestEnv *with_old_version(void) {
    TestEnv *env = env_new(&pool_hash_controller, NULL);

    env_put(env, "{kind: NodePool, metadata: {name: default, annotations: {karpenter.sh/nodepool-hash: '1', "
                 "karpenter.sh/nodepool-hash-version: v2}}, spec: {template: {spec: {expireAfter: 720h}}}}");
    env_put(env, "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.sh/nodepool: default}, annotations: "
                 "{karpenter.sh/nodepool-hash: '1', karpenter.sh/nodepool-hash-version: v2}}}");
    env_put(env, "{kind: NodeClaim, metadata: {name: b, labels: {karpenter.sh/nodepool: default}, annotations: "
                 "{karpenter.sh/nodepool-hash: '1', karpenter.sh/nodepool-hash-version: v2}},"
                 " status: {conditions: [Drifted]}}");
    env_put(env, "{kind: NodeClaim, metadata: {name: c, labels: {karpenter.sh/nodepool: default}, annotations: "
                 "{karpenter.sh/nodepool-hash: '7', karpenter.sh/nodepool-hash-version: v3}}}");
    return env;
}

TEST(a_new_version_of_the_hash_drifts_nothing) {
    TestEnv *env = with_old_version();

    env_run(env, "1s");
    assert_string_equal(of_claim(env, "a", HASH), "\"12745407319442031341\"");
    assert_string_equal(of_claim(env, "a", VERSION), "\"v3\"");
    assert_string_equal(of_claim(env, "b", HASH), "\"1\""); // drifted, and stays so
    assert_string_equal(of_claim(env, "b", VERSION), "\"v3\"");
    assert_string_equal(of_claim(env, "c", HASH), "\"7\""); // stamped already
    assert_string_equal(of_pool(env, HASH), "\"12745407319442031341\"");
    assert_string_equal(of_pool(env, VERSION), "\"v3\"");
    env_free(env);
}

TEST(killed_between_two_stamps_it_goes_on_where_it_stopped) {
    for (uint32_t after = 0; after < 3; after++) {
        TestEnv *env = with_old_version();

        env_die_after(env, after);
        env_run(env, "1s");
        assert_string_equal(of_claim(env, "a", HASH), "\"12745407319442031341\"");
        assert_string_equal(of_claim(env, "b", HASH), "\"1\"");
        assert_string_equal(of_pool(env, VERSION), "\"v3\"");
        env_free(env);
    }
}

TEST(a_claim_that_went_meanwhile_does_not_stop_it) {
    TestEnv *env = with_old_version();

    env_break(env, INTENT_PATCH, 1, ERR_NOT_FOUND, "nodeclaims.karpenter.sh \"a\" not found");
    assert_does_not_say(env_run(env, "1s"), "Reconciler error");
    assert_string_equal(of_pool(env, VERSION), "\"v3\"");
    env_free(env);
}

TEST(a_failure_is_logged_and_tried_again) {
    TestEnv *env = with_old_version();

    env_break(env, INTENT_PATCH, 1, ERR_IO, "the API server is away");
    assert_says(env_run(env, "1s"), "log error Reconciler error NodePool=default error=the API server is away");
    assert_string_equal(of_pool(env, VERSION), "\"v3\"");
    assert_int_equal(env_retries(env, "default"), 0);
    env_free(env);
}
