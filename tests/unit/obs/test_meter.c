// The meter: every call is passed on unchanged and counted by the API server's response.
#include "obs/support/env.h"

#include "obs/meter.h"

// An API server with one response that records which function was called.
typedef struct {
    KubeReason reason;
    const char *called;
    int64_t now_ns;
} Fake;

static ErrCode answer(Fake *fake, const char *name, KubeError *error) {
    fake->called = name;
    fake->now_ns += 3 * NS_PER_MS;
    assert_non_null(error); // the meter always needs it
    return fake->reason == KUBE_REASON_NONE ? OK : kube_fail(error, fake->reason, "because");
}

static ErrCode fake_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    (void)arena, (void)ref, (void)ret_object;
    return answer(self, "get", error);
}
static ErrCode fake_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                         KubeError *error) {
    (void)arena, (void)request, (void)ret_list;
    return answer(self, "list", error);
}
static ErrCode fake_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                           Value *ret_object, KubeError *error) {
    (void)arena, (void)manager, (void)kind, (void)object, (void)ret_object;
    return answer(self, "create", error);
}
static ErrCode fake_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                           Value *ret_object, KubeError *error) {
    (void)arena, (void)manager, (void)kind, (void)part, (void)object, (void)ret_object;
    return answer(self, "update", error);
}
static ErrCode fake_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                          Value *ret_object, KubeError *error) {
    (void)arena, (void)manager, (void)ref, (void)part, (void)patch, (void)ret_object;
    return answer(self, "patch", error);
}
static ErrCode fake_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    (void)ref, (void)deletion;
    return answer(self, "remove", error);
}
static ErrCode fake_evict(void *self, KubeRef pod, const KubeDeletion *deletion, KubeError *error) {
    (void)pod, (void)deletion;
    return answer(self, "evict", error);
}
static ErrCode fake_bind(void *self, KubeRef pod, Slice uid, Slice node, KubeError *error) {
    (void)pod, (void)uid, (void)node;
    return answer(self, "bind", error);
}
static ErrCode fake_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                          KubeError *error) {
    (void)request, (void)sink, (void)ret_watch;
    return answer(self, "watch", error);
}
static void fake_unwatch(void *self, KubeWatch *watch) {
    (void)watch;
    ((Fake *)self)->called = "unwatch";
}

static bool fake_time(void *self, int64_t *ret_wall_ns) {
    *ret_wall_ns = ((Fake *)self)->now_ns + NS_PER_HOUR;
    return true;
}

static Mono fake_now(void *clock) {
    return (Mono){((Fake *)clock)->now_ns};
}

typedef struct {
    TestEnv *env;
    Fake fake;
    KubeMeter meter;
    Kube kube;
} World;

static void world_init(World *world) {
    static const KubeTable table = {fake_get,   fake_list, fake_create, fake_update,  fake_patch, fake_remove,
                                    fake_evict, fake_bind, fake_watch,  fake_unwatch, fake_time};

    *world = (World){.env = env_new()};
    world->meter = (KubeMeter){{&table, &world->fake}, world->env->registry, fake_now, &world->fake};
    world->kube = kube_metered(&world->meter);
}

TEST(every_call_goes_through_and_is_counted) {
    KubeRef pod = {.kind = KUBE_POD}, claim = {.kind = KUBE_NODE_CLAIM};
    int64_t wall_ns;
    World w;

    world_init(&w);
#define CALL(name, method, code, ...)                                                                                  \
    assert_int_equal(kube_##name(w.kube, __VA_ARGS__), OK);                                                            \
    assert_string_equal(w.fake.called, #name);                                                                         \
    assert_true(env_value(w.env, METRIC_CLIENT_REQUESTS, code, method, NULL) >= 1)
    CALL(get, "GET", "200", NULL, pod, NULL, NULL);
    CALL(list, "GET", "200", NULL, (&(KubeListRequest){.kind = KUBE_POD}), NULL, NULL);
    CALL(create, "POST", "201", NULL, SLICE("tenon"), KUBE_POD, NULL, NULL, NULL);
    CALL(update, "PUT", "200", NULL, SLICE("tenon"), KUBE_POD, KUBE_STATUS, NULL, NULL, NULL);
    CALL(patch, "PATCH", "200", NULL, SLICE("tenon"), claim, KUBE_STATUS, (&(KubePatch){0}), NULL, NULL);
    CALL(remove, "DELETE", "200", claim, NULL, NULL);
    CALL(evict, "POST", "201", pod, NULL, NULL);
    CALL(bind, "POST", "201", pod, SLICE(""), SLICE(""), NULL);
    CALL(watch, "GET", "200", (&(KubeWatchRequest){.kind = KUBE_NODE_CLAIM}), ((KubeSink){0}), NULL, NULL);
    kube_unwatch(w.kube, NULL);
    assert_string_equal(w.fake.called, "unwatch");
    assert_true(kube_now(w.kube, &wall_ns));
    assert_int_equal(wall_ns, w.fake.now_ns + NS_PER_HOUR);
    assert_true(env_value(w.env, METRIC_CLIENT_REQUESTS, "200", "GET", NULL) == 3);
    assert_true(env_value(w.env, METRIC_CLIENT_DURATION, "PATCH", "karpenter.sh", "v1", "NodeClaim", "status", NULL) ==
                1);
    assert_true(env_value(w.env, METRIC_CLIENT_DURATION, "CREATE", "", "v1", "Pod", "eviction", NULL) == 1);
    assert_line(env_page(w.env), "client_go_request_duration_seconds_sum{verb=\"WATCH\",group=\"karpenter.sh\","
                                 "version=\"v1\",kind=\"NodeClaim\",subresource=\"\"} 0.003");
    env_free(w.env);
}

TEST(failures_are_counted_by_their_http_code_and_passed_on) {
    KubeRef claim = {.kind = KUBE_NODE_CLAIM};
    KubeError error = {0};
    World w;

    world_init(&w);
    w.fake.reason = KUBE_REASON_FORBIDDEN;
    assert_int_equal(kube_get(w.kube, NULL, claim, NULL, &error), ERR_DENIED);
    assert_int_equal(error.reason, KUBE_REASON_FORBIDDEN);
    assert_string_equal(error.err.text, "because");
    w.fake.reason = KUBE_REASON_CONFLICT;
    assert_int_equal(kube_create(w.kube, NULL, SLICE("tenon"), KUBE_POD, NULL, NULL, NULL), ERR_CONFLICT);
    assert_true(env_value(w.env, METRIC_CLIENT_REQUESTS, "403", "GET", NULL) == 1);
    assert_true(env_value(w.env, METRIC_CLIENT_REQUESTS, "409", "POST", NULL) == 1);
    env_free(w.env);
}
