// Many pods that come and go leave nothing behind, neither in indexes nor in symbols.
//
// TENON_CHURN says how many pods come and go (default 2,000,000; under a sanitizer 400,000).
#include "state/support/mirror.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PODS 400000
#elif defined(__has_feature)
#define PODS ((__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)) ? 400000 : 2000000)
#else
#define PODS 2000000
#endif

// Pods that are there at any time. Each owner and each node has a few hundred of them and goes with the last.
enum { ALIVE = 10000, PODS_PER_OWNER = 200, PODS_PER_NODE = 300, SNAPSHOT_EVERY = 5000 };

// Numbers that are waiting to be used again (base/symbol.h), and uids of the removed (state.h).
enum { WAITING = 16384, REMOVED = 65536 };

static uint32_t pods(void) {
    const char *text = getenv("TENON_CHURN");
    int64_t count;

    return text && slice_to_int64(slice_of(text), &count) && count > 0 ? (uint32_t)count : PODS;
}

typedef struct {
    Mirror *mirror;
    Value pod; // a template; its texts are replaced
    KubeRevision revision;
} Churn;

static void set(Arena *arena, Value *map, const char *key, Slice text) {
    value_put(arena, map, slice_of(key), value_string(text));
}

static StateUpdate *pod(Churn *churn, uint32_t number, bool bound) {
    Arena arena = {0};
    Value object = value_map(), *meta, *owner, *spec;
    StateUpdate *update = NULL;
    Err err;

    meta = value_put(&arena, &object, SLICE("metadata"), value_map());
    set(&arena, meta, "namespace", SLICE("shop"));
    set(&arena, meta, "name", arena_printf(&arena, "web-7c5ddbdf54-%07u", number));
    set(&arena, meta, "uid", arena_printf(&arena, "0b1f6ed5-8c9a-4c5e-9d2f-%012u", number));
    set(&arena, meta, "resourceVersion", arena_printf(&arena, "%llu", (unsigned long long)++churn->revision));
    owner = value_put(&arena, meta, SLICE("ownerReferences"), value_list());
    owner = value_append(&arena, owner, value_map());
    set(&arena, owner, "apiVersion", SLICE("apps/v1"));
    set(&arena, owner, "kind", SLICE("ReplicaSet"));
    set(&arena, owner, "name", arena_printf(&arena, "web-%u", number / PODS_PER_OWNER));
    set(&arena, owner, "uid", arena_printf(&arena, "owner-%u", number / PODS_PER_OWNER));
    spec = value_put(&arena, &object, SLICE("spec"), *value_get_text(&churn->pod, "spec"));
    if (bound)
        spec = value_put(&arena, spec, SLICE("nodeName"),
                         value_string(arena_printf(&arena, "ip-%u.ec2.internal", number / PODS_PER_NODE)));
    if (state_decode(state_symbols(churn->mirror->state), KUBE_POD, &object, &update, &err) != OK)
        fail_msg("%s", err.text);
    arena_free(&arena);
    return update;
}

TEST(pods_come_and_go) {
    uint32_t count = pods();
    Churn churn = {.mirror = mirror_new()};
    State *store = churn.mirror->state;
    Snapshot *snapshot = NULL;
    StateChange change;
    StateMemory half = {0}, memory;

    churn.pod = mirror_object(churn.mirror, "{spec: {containers: [{name: m, resources: {requests: {cpu: 100m}}}]}}");
    for (uint32_t i = 0; i < count; i++) {
        if (i % 8 == 0) // these are pending for a while
            assert_true(state_apply(store, pod(&churn, i, false), false, &change));
        assert_true(state_apply(store, pod(&churn, i, true), false, &change));
        if (i >= ALIVE)
            assert_true(state_apply(store, pod(&churn, i - ALIVE, true), true, &change));
        if (i % SNAPSHOT_EVERY == 0) {
            snapshot_free(snapshot);
            snapshot = state_snapshot(store);
        }
        if (i + 1 == count / 2)
            half = state_memory(store);
    }
    memory = state_memory(store);
    printf("  after %u pods: %.1f MB, %u symbols; after half of them: %.1f MB, %u symbols\n", count,
           (double)memory.bytes / 1e6, memory.symbols, (double)half.bytes / 1e6, half.symbols);
    assert_int_equal(state_count(store, KUBE_POD), ALIVE);
    assert_true(memory.bytes < half.bytes + half.bytes / 50);
    assert_true(memory.symbols < 2 * (ALIVE + SNAPSHOT_EVERY) + WAITING + REMOVED + 2000);
    assert_int_equal(state_pods_pending(store)->count, 0);
    snapshot_free(snapshot);
    mirror_free(churn.mirror);
}
