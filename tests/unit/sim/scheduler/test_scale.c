// The cost of the embedded scheduler in a large cluster that is nearly full. Times are printed; only counts are
// asserted.
//
// TENON_NODES=5000 gives the figures of docs/design/sim-scheduler.md; the default is a hundredth of that.
#include "base/time.h"
#include "sim/scheduler_env.h"

#include "text/value_edit.h"
#include "text/yaml.h"

#include <stdlib.h>
#include <time.h>

enum { PODS_PER_NODE = 20, ZONES = 3, APPS = 50 };

typedef struct {
    World *world;
    Arena arena;
    uint32_t nodes, pending, created;
} Plain;

// Processor time of this process, as other processes may use the machine.
static double seconds(void) {
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return ns_to_s(ns_of_timespec(now));
}

static Value parse(Arena *arena, const char *text) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    if (yaml_parse(arena, SLICE("test"), slice_of(text), NULL, &documents, &warnings, &err) != OK)
        fail_msg("%s", err.text);
    return documents.items[0].root;
}

static void create(Plain *plain, KubeKind kind, Value *object, const char *name) {
    KubeError error = {0};

    value_put(&plain->arena, value_find_text(object, "metadata"), SLICE("name"), value_string(slice_of(name)));
    if (kube_create(world_kube(plain->world), NULL, SLICE("test"), kind, object, NULL, &error) != OK)
        fail_msg("%s", error.err.text);
}

static void make_nodes(Plain *plain) {
    for (uint32_t i = 0; i < plain->nodes; i++) {
        char name[24], text[512];
        ArenaMark mark = arena_mark(&plain->arena);
        Value node, patch;

        snprintf(name, sizeof name, "node-%05u", i);
        snprintf(text, sizeof text,
                 "{apiVersion: v1, kind: Node, metadata: {labels: {kubernetes.io/hostname: %s, "
                 "topology.kubernetes.io/zone: zone-%u, node.kubernetes.io/instance-type: m%u}}, status: {capacity: "
                 "{cpu: %u, memory: %uGi, pods: 110}}}",
                 name, i % ZONES, i % 7, PODS_PER_NODE + 4, (PODS_PER_NODE + 4) * 4);
        node = parse(&plain->arena, text);
        create(plain, KUBE_NODE, &node, name);
        patch = parse(&plain->arena, "{spec: {taints: null}}");
        world_patch(plain->world, "test", KUBE_NODE, (Slice){0}, slice_of(name), KUBE_OBJECT, &patch);
        arena_rewind(&plain->arena, mark);
    }
    world_settle(plain->world);
}

// `count` pods of `apps` kinds, each with 1 CPU; `spec` may name the app by %u twice. On `node` when that is given.
static void make_pods(Plain *plain, const char *prefix, uint32_t count, uint32_t apps, const char *spec, bool placed) {
    for (uint32_t app = 0; app < apps; app++) {
        ArenaMark mark = arena_mark(&plain->arena);
        char inner[1024], text[2048];
        Value pod;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(inner, sizeof inner, spec, app, app);
#pragma GCC diagnostic pop
        snprintf(text, sizeof text,
                 "{apiVersion: v1, kind: Pod, metadata: {labels: {app: %s-%u}}, spec: {containers: [{name: c, image: "
                 "i, resources: {requests: {cpu: 1, memory: 3Gi}}}], %s}}",
                 prefix, app, inner);
        pod = parse(&plain->arena, text);
        for (uint32_t i = app; i < count; i += apps) {
            ArenaMark inside = arena_mark(&plain->arena);
            char name[32], node[24];

            snprintf(name, sizeof name, "%s-%u", prefix, i);
            snprintf(node, sizeof node, "node-%05u", i % plain->nodes);
            if (placed)
                value_put(&plain->arena, value_find_text(&pod, "spec"), SLICE("nodeName"),
                          value_string(slice_of(node)));
            create(plain, KUBE_POD, &pod, name);
            arena_rewind(&plain->arena, inside);
            plain->created++;
            if (plain->created % 4096 == 0)
                world_settle(plain->world); // watches remember so much
        }
        arena_rewind(&plain->arena, mark);
    }
}

static Plain *plain_new(void) {
    const char *nodes = getenv("TENON_NODES");
    Plain *plain = calloc(1, sizeof *plain);
    double start = seconds();

    assert_non_null(plain);
    plain->nodes = nodes ? (uint32_t)atoi(nodes) : 300;
    plain->pending = plain->nodes * 2;
    plain->world = world_new(&(WorldConfig){.seed = 1});
    make_nodes(plain);
    make_pods(plain, "old", plain->nodes * PODS_PER_NODE, APPS, "", true);
    world_settle(plain->world);
    print_message("%u nodes, %u pods on them, made in %.1f s\n", plain->nodes, plain->created, seconds() - start);
    return plain;
}

static void plain_free(Plain *plain) {
    world_free(plain->world);
    arena_free(&plain->arena);
    free(plain);
}

static void measure(const char *what, const char *spec, uint32_t apps, bool fits) {
    Plain *plain = plain_new();
    double start = seconds(), took;
    uint32_t left;

    sim_scheduler_add(plain->world, &(SimSchedulerConfig){.cycles_per_s = 1000 * 1000});
    world_settle(plain->world);
    print_message("  taken up in %.2f s\n", seconds() - start);
    make_pods(plain, "new", plain->pending, apps < plain->pending ? apps : plain->pending, spec, false);
    start = seconds();
    cluster_run(plain->world, SECONDS(60));
    took = seconds() - start;
    left = state_pods_pending(world_state(plain->world))->count;
    print_message("  %s: %u pods in %.2f s, %.0f pods/s, %u left\n", what, plain->pending, took, plain->pending / took,
                  left);
    assert_int_equal(left, fits ? 0 : plain->pending);
    plain_free(plain);
}

TEST(plain_pods) {
    measure("one kind", "", 1, true);
    measure("fifty kinds", "", APPS, true);
    measure("every pod another kind", "", UINT32_MAX, true);
}

TEST(spread_and_anti_affinity) {
    measure("spread over zones, fifty kinds",
            "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "
            "DoNotSchedule, labelSelector: {matchLabels: {app: new-%u}}}]",
            APPS, true);
    measure("one per host, fifty kinds",
            "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: "
            "{matchLabels: {app: new-%u}}, topologyKey: kubernetes.io/hostname}]}}",
            APPS, true);
    measure("both, and soft spread over hosts, fifty kinds",
            "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "
            "DoNotSchedule, labelSelector: {matchLabels: {app: new-%u}}}, {maxSkew: 1, topologyKey: "
            "kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: "
            "new-%u}}}]",
            APPS, true);
}

TEST(pods_that_fit_nowhere) {
    measure("nowhere to go, fifty kinds", "nodeSelector: {disk: ssd-%u}", APPS, false);
    measure("no room, fifty kinds", "resources: {requests: {cpu: 5}}", APPS, false);
    measure("no room, every pod another kind", "resources: {requests: {cpu: 5}}", UINT32_MAX, false);
}
