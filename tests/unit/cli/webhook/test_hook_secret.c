// The webhooks' certificate in its Secret, and its authority in the configurations: one for all replicas, renewed in
// time, former ones trusted until their end. Reference legacy.md 5.5; R152, R157.
#include "cli/webhook/hook_bundles.h"
#include "cli/webhook/hook_secret.h"

#include "legacy/admission/admission.h"
#include "net/base64.h"
#include "sim/api/api.h"

#include "harness/test.h"

#include <stdlib.h>

static const int64_t NOW_S = 1800000000, DAY_S = 86400, HOUR_S = 3600;
static const HookService service = {SLICE_INIT("kube-system"), SLICE_INIT("karpenter")};

typedef struct {
    Arena arena;
    ApiServer *server;
    Kube kube;
    uint64_t random;
    // A table in front of the server's, that lets another replica write before the next write.
    KubeTable table;
    bool other_is_faster;
    int writes;
} World;

static int64_t now_ns(void *context) {
    (void)context;
    return NOW_S * 1000000000;
}

static uint64_t next_random(void *context) {
    return ++*(uint64_t *)context * 0x9e3779b97f4a7c15;
}

static HookSecret keep(World *world, Kube kube, int64_t now_s) {
    HookSecret secret = {0};
    KubeError error = {0};

    if (hook_secret_keep(kube, &world->arena, &service, now_s, &secret, &error) != OK)
        fail_msg("%s", error.err.text);
    return secret;
}

static void let_the_other(World *world) {
    world->writes++;
    if (!world->other_is_faster)
        return;
    world->other_is_faster = false;
    assert_true(keep(world, world->kube, NOW_S).made);
}

static ErrCode create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object, Value *ret_object,
                      KubeError *error) {
    World *world = self;

    let_the_other(world);
    return kube_create(world->kube, arena, manager, kind, object, ret_object, error);
}

static ErrCode update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                      Value *ret_object, KubeError *error) {
    World *world = self;

    let_the_other(world);
    return kube_update(world->kube, arena, manager, kind, part, object, ret_object, error);
}

static ErrCode get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    return kube_get(((World *)self)->kube, arena, ref, ret_object, error);
}

static World *setup(void) {
    World *world = calloc(1, sizeof *world);

    world->server = api_new(&(ApiConfig){.sources = {now_ns, next_random, &world->random}});
    world->kube = api_kube(world->server);
    world->table = (KubeTable){.get = get, .create = create, .update = update};
    return world;
}

static void teardown(World *world) {
    api_free(world->server);
    arena_free(&world->arena);
    free(world);
}

FIXTURE(World, setup, teardown);

static Kube in_front(World *world) {
    return (Kube){&world->table, world};
}

static Value stored(World *world, KubeKind kind, const char *ns, const char *name) {
    Value object;
    KubeError error = {0};

    if (kube_get(world->kube, &world->arena, (KubeRef){kind, slice_of(ns), slice_of(name)}, &object, &error) != OK)
        fail_msg("%s", error.err.text);
    return object;
}

static Slice entry(World *world, const char *key) {
    Value secret = stored(world, KUBE_SECRET, "kube-system", "karpenter-cert");
    const Value *text = value_get(value_get_text(&secret, "data"), slice_of(key));
    Slice bytes = {0};

    if (!text || base64_decode(&world->arena, text->text, &bytes, NULL) != OK)
        fail_msg("no %s", key);
    return bytes;
}

static void assert_stored(World *world, const Certificate *certificate) {
    assert_true(slice_eq(entry(world, "server-key.pem"), certificate->key_pem));
    assert_true(slice_eq(entry(world, "server-cert.pem"), certificate->certificate_pem));
    assert_true(slice_eq(entry(world, "ca-cert.pem"), certificate->authority_pem));
}

TEST_F(World, world, a_missing_secret_is_made_and_then_kept) {
    HookSecret first = keep(world, in_front(world), NOW_S), again = keep(world, in_front(world), NOW_S + 5 * DAY_S);

    assert_true(first.made);
    assert_false(again.made);
    assert_int_equal(world->writes, 1);
    assert_stored(world, &first.certificate);
    assert_stored(world, &again.certificate);
}

TEST_F(World, world, the_certificate_has_the_services_names_for_seven_days) {
    static const Slice names[] = {SLICE_INIT("karpenter"), SLICE_INIT("karpenter.kube-system"),
                                  SLICE_INIT("karpenter.kube-system.svc"),
                                  SLICE_INIT("karpenter.kube-system.svc.cluster.local"), SLICE_INIT("localhost")};
    CertificateRequest request = {names, 5, NOW_S, 0};
    HookSecret secret = keep(world, world->kube, NOW_S);
    int64_t until_s;

    assert_true(certificate_is_sound(&secret.certificate, &request, &until_s));
    assert_in_range(until_s, NOW_S + 7 * DAY_S - 300, NOW_S + 7 * DAY_S);
}

// The chart's Secret has no data; other members of it stay.
TEST_F(World, world, a_secret_of_the_chart_is_filled) {
    Value secret = value_map(), metadata = value_map(), labels = value_map(), kept;

    value_put(&world->arena, &labels, SLICE("app.kubernetes.io/name"), value_string(SLICE("karpenter")));
    value_put(&world->arena, &metadata, SLICE("name"), value_string(SLICE("karpenter-cert")));
    value_put(&world->arena, &metadata, SLICE("namespace"), value_string(SLICE("kube-system")));
    value_put(&world->arena, &metadata, SLICE("labels"), labels);
    value_put(&world->arena, &secret, SLICE("metadata"), metadata);
    assert_int_equal(kube_create(world->kube, NULL, SLICE("helm"), KUBE_SECRET, &secret, NULL, NULL), OK);
    assert_true(keep(world, world->kube, NOW_S).made);
    kept = stored(world, KUBE_SECRET, "kube-system", "karpenter-cert");
    assert_non_null(value_at(&kept, "metadata", "labels", "app.kubernetes.io/name", NULL));
    assert_false(keep(world, world->kube, NOW_S).made);
}

// A day before the end another one is made; the authority of the first is trusted until that has ended.
TEST_F(World, world, renewal_keeps_the_former_authority_until_its_end) {
    HookSecret first = keep(world, world->kube, NOW_S), second, third;
    Certificate former = first.certificate;
    CertificateRequest later = {.from_s = NOW_S + 6 * DAY_S};
    int64_t until_s;

    assert_false(keep(world, world->kube, NOW_S + 6 * DAY_S - HOUR_S).made);
    second = keep(world, world->kube, NOW_S + 6 * DAY_S);
    assert_true(second.made);
    former.authority_pem = second.certificate.authority_pem;
    assert_true(certificate_is_sound(&former, &later, &until_s));
    assert_true(certificate_is_sound(&second.certificate, &later, &until_s));
    assert_stored(world, &second.certificate);
    third = keep(world, world->kube, NOW_S + 12 * DAY_S);
    assert_true(third.made);
    assert_false(slice_contains(third.certificate.authority_pem, first.certificate.authority_pem));
}

TEST_F(World, world, a_part_that_is_missing_is_made_anew) {
    Value secret, *data;

    keep(world, world->kube, NOW_S);
    secret = stored(world, KUBE_SECRET, "kube-system", "karpenter-cert");
    data = (Value *)(uintptr_t)value_get_text(&secret, "data");
    value_put(&world->arena, data, SLICE("server-key.pem"), value_string(SLICE("!")));
    assert_int_equal(kube_update(world->kube, NULL, SLICE("someone"), KUBE_SECRET, KUBE_OBJECT, &secret, NULL, NULL),
                     OK);
    assert_true(keep(world, world->kube, NOW_S).made);
}

// Two replicas at once: whoever is slower takes what the other has made, whether the Secret was there or not.
TEST_F(World, world, two_replicas_have_one_certificate) {
    HookSecret slow;

    world->other_is_faster = true;
    slow = keep(world, in_front(world), NOW_S);
    assert_false(slow.made);
    assert_int_equal(world->writes, 1);
    assert_stored(world, &slow.certificate);
}

TEST_F(World, world, two_replicas_renew_to_one_certificate) {
    HookSecret first = keep(world, world->kube, NOW_S - 10 * DAY_S), slow;

    world->other_is_faster = true;
    slow = keep(world, in_front(world), NOW_S);
    assert_false(slow.made);
    assert_stored(world, &slow.certificate);
    assert_false(slice_eq(slow.certificate.certificate_pem, first.certificate.certificate_pem));
}

// --- configurations

static uint32_t keep_bundles(World *world, const char *authorities) {
    KubeError error = {0};
    uint32_t written;

    if (hook_bundles_keep(world->kube, &world->arena, &service, slice_of(authorities), &written, &error) != OK)
        fail_msg("%s", error.err.text);
    return written;
}

static Slice bundle_of(World *world, AdmissionHook hook) {
    KubeKind kind = hook == ADMISSION_DEFAULT ? KUBE_MUTATING_WEBHOOKS : KUBE_VALIDATING_WEBHOOKS;
    Value configuration = stored(world, kind, "", admission_name(hook));
    const Value *webhooks = value_get_text(&configuration, "webhooks");
    Slice bytes = {0};

    assert_int_equal(base64_decode(&world->arena,
                                   value_at(&webhooks->list.items[0], "clientConfig", "caBundle", NULL)->text, &bytes,
                                   NULL),
                     OK);
    return bytes;
}

TEST_F(World, world, missing_configurations_are_made_and_bundles_filled_in) {
    assert_int_equal(keep_bundles(world, "one"), 4);
    assert_int_equal(keep_bundles(world, "one"), 0);
    assert_int_equal(keep_bundles(world, "one and two"), 4);
    for (int hook = 0; hook < ADMISSION_HOOKS; hook++)
        assert_true(slice_eq(bundle_of(world, (AdmissionHook)hook), SLICE("one and two")));
}
