// nodeclaim.tagging: reference aws.md 7.3. Upstream's area: nodeclaim tagging.
#include "ctl/class/class_env.h"
#include "ctl/cloud/controllers.h"

static const char *const TAGGED = "metadata.annotations.'karpenter.k8s.aws/tagged'";
static const char *const CLUSTER = "metadata.annotations.'compatibility.karpenter.k8s.aws/cluster-name-tagged'";

static void put_claim(TestEnv *env, const char *metadata, const char *status) {
    env_add_instance(env, "kwok://a");
    env_put(env, "{kind: NodeClaim, metadata: {name: a%s}, spec: {" EC2_REF "}, status: {%s}}", metadata, status);
}

#define REGISTERED "providerID: 'kwok://a', nodeName: node-a, conditions: [Launched, Registered]"

static const char *tagged(TestEnv *env) {
    return env_part(env, KUBE_NODE_CLAIM, "a", TAGGED);
}

TEST(a_registered_claim_is_tagged_once) {
    TestEnv *env = class_env(&claim_tagging_controller);

    put_claim(env, "", REGISTERED);
    assert_string_equal(env_run(env, "1h"),
                        "+0s tag a\n+0s patch nodeclaim/a {\"metadata\":{\"annotations\":{\"karpenter.k8s.aws/tagged\":"
                        "\"true\",\"compatibility.karpenter.k8s.aws/cluster-name-tagged\":\"true\"}}}\n");
    assert_string_equal(tagged(env), "\"true\"");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", CLUSTER), "\"true\"");
    env_restart(env);
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

typedef struct {
    const char *name, *metadata, *status;
    uint32_t tags;
} TagRow;

static const TagRow rows[] = {
    {"tagging: registered", "", REGISTERED, 1},
    {"tagging: not registered", "", "providerID: 'kwok://a', nodeName: node-a, conditions: [Launched]", 0},
    {"tagging: no Node name", "", "providerID: 'kwok://a', conditions: [Launched, Registered]", 0},
    {"tagging: no provider id", "", "nodeName: node-a, conditions: [Launched, Registered]", 0},
    {"tagging: both annotations",
     ", annotations: {karpenter.k8s.aws/tagged: 'true', "
     "compatibility.karpenter.k8s.aws/cluster-name-tagged: 'true'}",
     REGISTERED, 0},
    {"tagging: without the cluster's name", ", annotations: {karpenter.k8s.aws/tagged: 'true'}", REGISTERED, 1},
    {"tagging: an annotation that says no",
     ", annotations: {karpenter.k8s.aws/tagged: 'false', compatibility.karpenter.k8s.aws/cluster-name-tagged: 'true'}",
     REGISTERED, 1},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const TagRow, row, claims_that_are_tagged, list_rows) {
    TestEnv *env = class_env(&claim_tagging_controller);

    put_claim(env, row->metadata, row->status);
    env_run(env, "1h");
    assert_int_equal(env_cloud(env)->tags, row->tags);
    assert_string_equal(tagged(env), row->tags || strstr(row->metadata, "'true'") ? "\"true\"" : "");
    env_free(env);
}

TEST(a_claim_that_is_being_deleted_is_not_tagged) {
    TestEnv *env = class_env(&claim_tagging_controller);

    put_claim(env, ", finalizers: [karpenter.sh/termination]", "providerID: 'kwok://a', nodeName: node-a");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [Registered]}}");
    env_run(env, "1h");
    assert_int_equal(env_cloud(env)->tags, 0);
    env_free(env);
}

TEST(claims_of_other_providers_are_not_tagged) {
    TestEnv *env = class_env(&claim_tagging_controller);

    env_add_instance(env, "kwok://b");
    env_put(env,
            "{kind: NodeClaim, metadata: {name: b}, status: {providerID: 'kwok://b', nodeName: node-b, conditions: "
            "[Registered]}}");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(an_instance_that_is_gone_needs_no_tags) {
    TestEnv *env = class_env(&claim_tagging_controller);

    put_claim(env, "", REGISTERED);
    env_lose_instance(env, "kwok://a");
    assert_string_equal(env_run(env, "1h"), "+0s tag a\n");
    assert_string_equal(tagged(env), "");
    env_free(env);
}

TEST(a_refusal_is_logged_and_tried_again) {
    TestEnv *env = class_env(&claim_tagging_controller);

    put_claim(env, "", REGISTERED);
    env_break(env, INTENT_TAG, 3, ERR_DENIED, "CreateTags is not allowed");
    assert_int_equal(env_times(env_run(env, "5s"), "error=CreateTags is not allowed"), 3);
    assert_string_equal(tagged(env), "\"true\"");
    env_free(env);
}

TEST(an_annotation_that_is_not_written_is_tried_again) {
    TestEnv *env = class_env(&claim_tagging_controller);

    put_claim(env, "", REGISTERED);
    env_break(env, INTENT_PATCH, 2, ERR_IO, "the API server is away");
    env_run(env, "5s");
    assert_string_equal(tagged(env), "\"true\"");
    assert_int_equal(env_cloud(env)->tags, 3);
    env_free(env);
}

TEST(killed_between_tag_and_annotation_it_tags_again) {
    for (uint32_t after = 0; after < 3; after++) {
        TestEnv *env = class_env(&claim_tagging_controller);

        put_claim(env, "", REGISTERED);
        env_die_after(env, after);
        env_run(env, "5s");
        assert_string_equal(tagged(env), "\"true\"");
        assert_in_range(env_cloud(env)->tags, 1, 2);
        env_free(env);
    }
}

TEST(a_cloud_without_tags_is_not_asked) {
    TestEnv *env = class_env(&claim_tagging_controller);

    env_cloud(env)->is_plain = true;
    put_claim(env, "", REGISTERED);
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}
