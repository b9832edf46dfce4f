// The scheduler cache is updated change by change. Here it is compared, repeatedly during random changes, with a cache
// that is made at once: every filter must give the same result for every pod and node.
#include "sim/scheduler/cache/filter.h"
#include "sim/scheduler_env.h"

#include "sim/scheduler/extras.h"
#include "sim/scheduler/sources.h"

#include <stdlib.h>

enum { NODES = 9, PODS = 70, STEPS = 1500, COMPARE_EVERY = 15 };

typedef struct {
    World *world;
    Random random;
    StateSources living_sources, fresh_sources;
    SchedulerCache *living;
    Arena arena;
    Vec(StateChange) changes;
    uint64_t compared, refused;
} Life;

static const char *const specs[] = {
    "",
    "nodeSelector: {disk: ssd}",
    "tolerations: [{key: k, operator: Exists}]",
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: "
    "a}}, "
    "topologyKey: zone}]}}",
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: "
    "b}}, topologyKey: kubernetes.io/hostname}]}}",
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {}, topologyKey: "
    "zone, namespaceSelector: {matchLabels: {team: x}}}]}}",
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
    "{matchLabels: {app: a}}}]",
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, nodeTaintsPolicy: "
    "Honor, labelSelector: {matchExpressions: [{key: app, operator: Exists}]}}, {maxSkew: 2, topologyKey: "
    "kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: c}}}], nodeSelector: "
    "{disk: ssd}",
    "topologySpreadConstraints: [{maxSkew: 2, minDomains: 3, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "
    "nodeAffinityPolicy: Ignore, labelSelector: {matchLabels: {app: b}}}]",
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]",
    "containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: 80}]}]",
    "containers: [{name: c, image: i, resources: {requests: {cpu: 2, example.com/thing: 1}}}]",
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchExpressions: "
    "[{key: "
    "app, operator: In, values: [a, b]}]}, topologyKey: zone}, {labelSelector: {matchLabels: {app: b}}, topologyKey: "
    "kubernetes.io/hostname}]}}",
};

// --- updating the cache

static CacheExtras read_extras(Life *life, Arena *arena, const Pod *pod) {
    KubeRef ref = {KUBE_POD, symbol_text(world_symbols(life->world), pod->ns),
                   symbol_text(world_symbols(life->world), pod->name)};
    Value object;

    assert_int_equal(kube_get(world_kube(life->world), arena, ref, &object, NULL), OK);
    return cache_extras_read(arena, world_symbols(life->world), &object);
}

static void tell_pod(Life *life, SchedulerCache *cache, Handle handle) {
    const Pod *pod = state_pod(world_state(life->world), handle);
    Arena arena = {0};
    CacheExtras extras;

    if (pod) {
        extras = read_extras(life, &arena, pod);
        cache_apply_pod(cache, handle.index, pod, &extras);
    } else {
        cache_forget_pod(cache, handle.index);
    }
    arena_free(&arena);
}

// Watches report under the server's lock, so objects are read afterwards.
static void observe(void *self, const StateChange *change) {
    Life *life = self;

    vec_push(&life->arena, &life->changes, *change);
}

static void settle(Life *life) {
    const State *state = world_state(life->world);

    world_settle(life->world);
    for (vec_each(const StateChange, change, &life->changes)) {
        if (change->kind == KUBE_NODE)
            cache_apply_node(life->living, change->name, state_node(state, change->handle));
        else if (change->kind == KUBE_NAMESPACE)
            cache_apply_namespace(life->living, change->name);
        else if (change->kind == KUBE_POD)
            tell_pod(life, life->living, change->handle);
    }
    life->changes.count = 0;
}

// --- random changes

static uint32_t draw(Life *life, uint32_t below) {
    return random_below(&life->random, below);
}

static void change_node(Life *life) {
    static const char *const patches[] = {
        "{metadata: {labels: {disk: ssd}}}",
        "{metadata: {labels: {disk: null}}}",
        "{metadata: {labels: {zone: a}}}",
        "{metadata: {labels: {zone: b}}}",
        "{metadata: {labels: {zone: null}}}",
        "{spec: {taints: [{key: k, effect: NoSchedule}]}}",
        "{spec: {taints: null, unschedulable: null}}",
        "{spec: {unschedulable: true}}",
    };
    char name[8], labels[64];
    uint32_t what = draw(life, 12);

    snprintf(name, sizeof name, "n%u", draw(life, NODES));
    if (!cluster_find(life->world, KUBE_NODE, "", name).generation) {
        char zone = "abc"[draw(life, 3)]; // one draw after the other: arguments are evaluated in no order

        snprintf(labels, sizeof labels, "zone: %c, disk: %s", zone, draw(life, 2) ? "ssd" : "hdd");
        env_node(life->world, name, labels, "cpu: 4, memory: 8Gi, pods: 12, example.com/thing: 1");
    } else if (what < 8) {
        cluster_patch(life->world, KUBE_NODE, "", name, KUBE_OBJECT, patches[what]);
    } else if (what < 10) {
        cluster_patch(life->world, KUBE_NODE, "", name, KUBE_STATUS,
                      what == 8 ? "{status: {allocatable: {cpu: 1, pods: 3}}}"
                                : "{status: {allocatable: {cpu: 4, pods: 12}}}");
    } else {
        cluster_delete(life->world, KUBE_NODE, "", name);
    }
}

static void change_pod(Life *life) {
    char name[8], meta[64], spec[1024];
    uint32_t what = draw(life, 10);

    snprintf(name, sizeof name, "p%u", draw(life, PODS));
    if (!cluster_find(life->world, KUBE_POD, "default", name).generation) {
        snprintf(meta, sizeof meta, "labels: {app: %c}", "abc"[draw(life, 3)]);
        snprintf(spec, sizeof spec, "%s", specs[draw(life, sizeof specs / sizeof *specs)]);
        if (draw(life, 3))
            snprintf(spec + strlen(spec), sizeof spec - strlen(spec), "%snodeName: n%u", spec[0] ? ", " : "",
                     draw(life, NODES));
        env_pod(life->world, name, meta, spec);
    } else if (what < 4) {
        snprintf(meta, sizeof meta, "{metadata: {labels: {app: %c}}}", "abc"[draw(life, 3)]);
        cluster_patch(life->world, KUBE_POD, "default", name, KUBE_OBJECT, meta);
    } else if (what < 6) {
        cluster_patch(life->world, KUBE_POD, "default", name, KUBE_STATUS, "{status: {phase: Succeeded}}");
    } else if (what < 8) {
        cluster_delete(life->world, KUBE_POD, "default", name);
    } else {
        kube_remove(world_kube(life->world), (KubeRef){KUBE_POD, SLICE("default"), slice_of(name)},
                    &(KubeDeletion){.has_grace = true}, NULL);
    }
}

// --- comparing

static SchedulerCache *make_fresh(Life *life) {
    const State *state = world_state(life->world);
    CacheSources sources = cache_sources_of_state(&life->fresh_sources, state);
    Random random = life->random;
    SchedulerCache *fresh = cache_new(world_symbols(life->world), &sources, random);

    for (Handle at = state_next(state, KUBE_NODE, HANDLE_NONE); at.generation; at = state_next(state, KUBE_NODE, at))
        cache_apply_node(fresh, state_node(state, at)->meta.name, state_node(state, at));
    for (Handle at = state_next(state, KUBE_POD, HANDLE_NONE); at.generation; at = state_next(state, KUBE_POD, at))
        tell_pod(life, fresh, at);
    return fresh;
}

static void compare_pod(Life *life, SchedulerCache *fresh, Handle handle) {
    const State *state = world_state(life->world);
    CacheTrial ours, theirs;

    cache_trial_begin(&ours, life->living, handle.index);
    cache_trial_begin(&theirs, fresh, handle.index);
    for (Handle at = state_next(state, KUBE_NODE, HANDLE_NONE); at.generation; at = state_next(state, KUBE_NODE, at)) {
        Symbol name = state_node(state, at)->meta.name;
        CacheReason one = cache_filter(&ours, cache_find_node(life->living, name));
        CacheReason other = cache_filter(&theirs, cache_find_node(fresh, name));

        if (one != other)
            fail_msg("%.*s on %.*s: %d, afresh %d",
                     SLICE_ARG(symbol_text(world_symbols(life->world), state_pod(state, handle)->name)),
                     SLICE_ARG(symbol_text(world_symbols(life->world), name)), (int)one, (int)other);
        life->compared++;
        life->refused += one != REASON_FITS;
    }
    cache_trial_end(&ours);
    cache_trial_end(&theirs);
}

static void compare(Life *life) {
    const State *state = world_state(life->world);
    SchedulerCache *fresh = make_fresh(life);

    assert_int_equal(cache_node_count(life->living), cache_node_count(fresh));
    assert_int_equal(cache_counts(life->living).classes, cache_counts(fresh).classes);
    assert_int_equal(cache_counts(life->living).shapes, cache_counts(fresh).shapes);
    for (Handle at = state_next(state, KUBE_POD, HANDLE_NONE); at.generation; at = state_next(state, KUBE_POD, at)) {
        if (state_pod(state, at)->node_name == NAME_EMPTY && !pod_is_terminal(state_pod(state, at)))
            compare_pod(life, fresh, at);
    }
    cache_free(fresh);
}

static void run_life(uint64_t seed) {
    static const ComponentTable table = {.name = "test", .observe = observe};
    Life *life = calloc(1, sizeof *life);
    CacheSources sources;

    assert_non_null(life);
    print_message("seed %d\n", (int)seed);
    life->world = world_new(&(WorldConfig){.seed = seed});
    life->random = world_random(life->world, "life");
    sources = cache_sources_of_state(&life->living_sources, world_state(life->world));
    life->living = cache_new(world_symbols(life->world), &sources, life->random);
    world_add(life->world, &table, life);
    for (uint32_t i = 0; i < STEPS; i++) {
        uint32_t what = draw(life, 20);

        if (what < 6)
            change_node(life);
        else if (what < 19)
            change_pod(life);
        else
            cluster_patch(life->world, KUBE_NAMESPACE, "", "default", KUBE_OBJECT,
                          draw(life, 2) ? "{metadata: {labels: {team: x}}}" : "{metadata: {labels: {team: null}}}");
        settle(life);
        if (i % COMPARE_EVERY == 0)
            compare(life);
    }
    print_message("  %llu verdicts, %llu refusals\n", (unsigned long long)life->compared,
                  (unsigned long long)life->refused);
    assert_true(life->compared > 1000 && life->refused > life->compared / 10);
    cache_free(life->living);
    world_free(life->world);
    arena_free(&life->arena);
    free(life);
}

TEST(pictures_kept_equal_pictures_made) {
    for (uint64_t seed = 1; seed <= 8; seed++)
        run_life(seed);
}
