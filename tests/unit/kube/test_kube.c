// The table of kinds, reasons of failures, and reading metadata.
#include "harness/test.h"
#include "kube/kube.h"

static void assert_slice(Slice slice, const char *expected) {
    if (!slice_eq_text(slice, expected))
        fail_msg("expected \"%s\", got \"%.*s\"", expected, SLICE_ARG(slice));
}

TEST(kinds_of_the_core_group_have_short_names) {
    const KubeKindInfo *pod = kube_kind(KUBE_POD);

    assert_slice(pod->api_version, "v1");
    assert_slice(pod->resource, "pods");
    assert_slice(pod->group_kind, "Pod");
    assert_true(pod->namespaced && pod->has_status && !pod->custom);
}

TEST(kinds_of_other_groups_carry_their_group) {
    const KubeKindInfo *claim = kube_kind(KUBE_NODE_CLAIM);

    assert_slice(claim->api_version, "karpenter.sh/v1");
    assert_slice(claim->resource, "nodeclaims.karpenter.sh");
    assert_slice(claim->group_kind, "NodeClaim.karpenter.sh");
    assert_true(!claim->namespaced && claim->has_status && claim->custom);
}

TEST(every_kind_is_found_by_its_own_words) {
    for (unsigned i = 0; i < KUBE_KIND_COUNT; i++) {
        const KubeKindInfo *info = kube_kind((KubeKind)i);

        assert_int_equal(kube_kind_find(info->api_version, info->kind), i);
        assert_true(info->plural.len && slice_starts_with(info->resource, info->plural));
        assert_true(slice_ends_with(info->api_version, info->version));
    }
    assert_int_equal(kube_kind_find(SLICE("apps/v1"), SLICE("Pod")), KUBE_KIND_COUNT);
}

TEST(older_versions_of_a_kind_are_the_same_kind) {
    assert_int_equal(kube_kind_find(SLICE("karpenter.sh/v1beta1"), SLICE("NodePool")), KUBE_KIND_COUNT);
    assert_int_equal(kube_kind_find_any_version(SLICE("karpenter.sh/v1beta1"), SLICE("NodePool")), KUBE_NODE_POOL);
    assert_int_equal(kube_kind_find_any_version(SLICE("v1"), SLICE("Node")), KUBE_NODE);
    assert_int_equal(kube_kind_find_any_version(SLICE("other/v1"), SLICE("Node")), KUBE_KIND_COUNT);
}

TEST(a_failure_has_reason_code_and_text) {
    KubeError error = {.retry_after_ns = 5, .cause = "old"};

    assert_int_equal(kube_fail(&error, KUBE_REASON_TOO_MANY_REQUESTS, "slow %s", "down"), ERR_THROTTLED);
    assert_int_equal(error.err.code, ERR_THROTTLED);
    assert_string_equal(error.err.text, "slow down");
    assert_string_equal(error.cause, "");
    assert_true(error.retry_after_ns == 0);
    assert_int_equal(kube_fail(NULL, KUBE_REASON_EXPIRED, "x"), ERR_GONE);
}

TEST(reasons_are_found_by_name_or_else_by_code) {
    for (unsigned i = 1; i < KUBE_REASON_COUNT; i++)
        assert_int_equal(kube_reason_find(slice_of(kube_reason_text((KubeReason)i)), 0), i);
    assert_int_equal(kube_reason_find(SLICE("AlreadyExists"), 409), KUBE_REASON_ALREADY_EXISTS);
    assert_int_equal(kube_reason_find(SLICE(""), 409), KUBE_REASON_CONFLICT);
    assert_int_equal(kube_reason_find(SLICE("Novel"), 503), KUBE_REASON_SERVICE_UNAVAILABLE);
    assert_int_equal(kube_reason_find(SLICE("Novel"), 599), KUBE_REASON_UNKNOWN);
    assert_int_equal(kube_reason_http_code(KUBE_REASON_INVALID), 422);
}

TEST(metadata_is_read) {
    Arena arena = {0};
    Value object = value_map(), *meta;

    assert_true(kube_revision(&object) == 0 && kube_generation(&object) == 0 && !kube_is_deleting(&object));
    assert_slice(kube_name(NULL), "");
    meta = value_put(&arena, &object, SLICE("metadata"), value_map());
    value_put(&arena, meta, SLICE("name"), value_string(SLICE("n")));
    value_put(&arena, meta, SLICE("namespace"), value_string(SLICE("ns")));
    value_put(&arena, meta, SLICE("uid"), value_string(SLICE("u")));
    value_put(&arena, meta, SLICE("resourceVersion"), value_string(SLICE("42")));
    value_put(&arena, meta, SLICE("generation"), value_int(&arena, 3));
    value_put(&arena, meta, SLICE("deletionTimestamp"), value_string(SLICE("2026-01-01T00:00:00Z")));
    assert_slice(kube_name(&object), "n");
    assert_slice(kube_namespace(&object), "ns");
    assert_slice(kube_uid(&object), "u");
    assert_true(kube_revision(&object) == 42 && kube_generation(&object) == 3 && kube_is_deleting(&object));
    assert_slice(kube_text(&object, "metadata", "generation", NULL), "");
    arena_free(&arena);
}

// --- pages

static ErrCode list_again(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                          KubeError *error) {
    (void)arena, (void)request, (void)error;
    ++*(int *)self;
    *ret_list = (KubeList){.next = SLICE("again")};
    return OK;
}

static void take_nothing(void *context, Arena *page, const Value *object) {
    (void)context, (void)page, (void)object;
}

// Of a proxy that does not pass the token on.
TEST(pages_that_go_round_are_an_error) {
    static const KubeTable table = {.list = list_again};
    int calls = 0;
    KubeError error = {0};

    assert_int_equal(
        kube_list_each((Kube){&table, &calls}, &(KubeListRequest){.kind = KUBE_NODE}, take_nothing, NULL, &error),
        ERR_IO);
    assert_string_equal(error.err.text, "the next page of nodes is the same again");
    assert_int_equal(calls, 2);
}
