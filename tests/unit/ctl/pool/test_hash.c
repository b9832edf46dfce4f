// nodepool.hash: reference lifecycle.md 5.2. The hash itself: model/hash/test_nodepool_hash.c.
#include "ctl/support/stage.h"

#include "ctl/pool/controllers.h"

static const char *const HASH = "metadata.annotations.'karpenter.sh/nodepool-hash'";
static const char *const VERSION = "metadata.annotations.'karpenter.sh/nodepool-hash-version'";

static const char *of_pool(Stage *stage, const char *part) {
    return stage_part(stage, KUBE_NODE_POOL, "default", part);
}

static const char *of_claim(Stage *stage, const char *name, const char *part) {
    return stage_part(stage, KUBE_NODE_CLAIM, name, part);
}

// The vectors of lifecycle.md 5.2: KWOKNodeClass/default/karpenter.kwok.sh with 720h, with Never.
TEST(the_pool_is_stamped_with_hash_and_version) {
    Stage *stage = stage_new(&pool_hash_controller, NULL);

    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {template: {spec: {expireAfter: 720h}}}}");
    stage_run(stage, "0s");
    assert_string_equal(of_pool(stage, HASH), "\"12745407319442031341\"");
    assert_string_equal(of_pool(stage, VERSION), "\"v3\"");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {template: {spec: {expireAfter: Never}}}}");
    stage_run(stage, "0s");
    assert_string_equal(of_pool(stage, HASH), "\"7428780003907761376\"");
    stage_free(stage);
}

// Drift is found by comparing: the claims keep the hash that they were made with.
TEST(a_change_of_the_template_does_not_touch_the_claims) {
    Stage *stage = stage_new(&pool_hash_controller, NULL);

    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {}}");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.sh/nodepool: default}, annotations: "
                     "{karpenter.sh/nodepool-hash: '1', karpenter.sh/nodepool-hash-version: v3}}}");
    stage_run(stage, "0s");
    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {template: {spec: {expireAfter: Never}}}}");
    assert_int_equal(stage_times(stage_run(stage, "1h"), "patch"), 1);
    assert_string_equal(of_claim(stage, "a", HASH), "\"1\"");
    stage_free(stage);
}

static Stage *with_old_version(void) {
    Stage *stage = stage_new(&pool_hash_controller, NULL);

    stage_put(stage, "{kind: NodePool, metadata: {name: default, annotations: {karpenter.sh/nodepool-hash: '1', "
                     "karpenter.sh/nodepool-hash-version: v2}}, spec: {template: {spec: {expireAfter: 720h}}}}");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.sh/nodepool: default}, annotations: "
                     "{karpenter.sh/nodepool-hash: '1', karpenter.sh/nodepool-hash-version: v2}}}");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: b, labels: {karpenter.sh/nodepool: default}, annotations: "
                     "{karpenter.sh/nodepool-hash: '1', karpenter.sh/nodepool-hash-version: v2}},"
                     " status: {conditions: [Drifted]}}");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: c, labels: {karpenter.sh/nodepool: default}, annotations: "
                     "{karpenter.sh/nodepool-hash: '7', karpenter.sh/nodepool-hash-version: v3}}}");
    return stage;
}

TEST(a_new_version_of_the_hash_drifts_nothing) {
    Stage *stage = with_old_version();

    stage_run(stage, "1s");
    assert_string_equal(of_claim(stage, "a", HASH), "\"12745407319442031341\"");
    assert_string_equal(of_claim(stage, "a", VERSION), "\"v3\"");
    assert_string_equal(of_claim(stage, "b", HASH), "\"1\""); // drifted, and stays so
    assert_string_equal(of_claim(stage, "b", VERSION), "\"v3\"");
    assert_string_equal(of_claim(stage, "c", HASH), "\"7\""); // stamped already
    assert_string_equal(of_pool(stage, HASH), "\"12745407319442031341\"");
    assert_string_equal(of_pool(stage, VERSION), "\"v3\"");
    stage_free(stage);
}

TEST(killed_between_two_stamps_it_goes_on_where_it_stopped) {
    for (uint32_t after = 0; after < 3; after++) {
        Stage *stage = with_old_version();

        stage_die_after(stage, after);
        stage_run(stage, "1s");
        assert_string_equal(of_claim(stage, "a", HASH), "\"12745407319442031341\"");
        assert_string_equal(of_claim(stage, "b", HASH), "\"1\"");
        assert_string_equal(of_pool(stage, VERSION), "\"v3\"");
        stage_free(stage);
    }
}

TEST(a_claim_that_went_meanwhile_does_not_stop_it) {
    Stage *stage = with_old_version();

    stage_break(stage, INTENT_PATCH, 1, ERR_NOT_FOUND, "nodeclaims.karpenter.sh \"a\" not found");
    assert_does_not_say(stage_run(stage, "1s"), "Reconciler error");
    assert_string_equal(of_pool(stage, VERSION), "\"v3\"");
    stage_free(stage);
}

TEST(a_failure_is_logged_and_tried_again) {
    Stage *stage = with_old_version();

    stage_break(stage, INTENT_PATCH, 1, ERR_IO, "the API server is away");
    assert_says(stage_run(stage, "1s"), "log error Reconciler error NodePool=default error=the API server is away");
    assert_string_equal(of_pool(stage, VERSION), "\"v3\"");
    assert_int_equal(stage_retries(stage, "default"), 0);
    stage_free(stage);
}
