// A small cluster for the tests of workloads and kubelets: the workload controllers, the scheduler, kubelets whose
// times are fixed, and nodes applied by hand or made of instances without a cloud.
//
// What is asserted is read from the API server: what a user would see with kubectl.
#pragma once

#include "sim/kubelet/kubelet.h"
#include "sim/scheduler/scheduler.h"
#include "sim/support/cluster.h"
#include "sim/workloads/workloads.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    World *world;
    SimKubelets *kubelets;
    Arena arena;
    uint32_t instances;
} Bed;

#define FIXED(seconds) ((SimSpan){SECONDS(seconds), SECONDS(seconds)})

// Nodes join after 10 s, are ready 5 s later, CSI 3 s and devices 20 s after that; pods start in 2 s, stop in 1 s,
// those that end by themselves run 60 s; volumes take 3 s to attach and 4 s to detach.
static inline Bed *bed_new_with(uint64_t seed, SimKubeletConfig config) {
    Bed *bed = calloc(1, sizeof *bed);

    assert_non_null(bed);
    config.join = FIXED(10);
    config.ready = FIXED(5);
    config.cloud_init = FIXED(1);
    config.csi = FIXED(3);
    config.device_plugin = FIXED(20);
    config.pod_start = FIXED(2);
    config.pod_stop = FIXED(1);
    config.job_run = FIXED(60);
    config.attach = FIXED(3);
    config.detach = FIXED(4);
    bed->world = world_new(&(WorldConfig){.seed = seed});
    sim_workloads_add(bed->world);
    sim_scheduler_add(bed->world, NULL);
    bed->kubelets = sim_kubelets_add(bed->world, NULL, &config);
    return bed;
}

static inline Bed *bed_new(void) {
    return bed_new_with(1, (SimKubeletConfig){0});
}

static inline void bed_free(Bed *bed) {
    world_free(bed->world);
    arena_free(&bed->arena);
    free(bed);
}

static inline void bed_run_s(Bed *bed, int64_t seconds) {
    cluster_run(bed->world, SECONDS(seconds));
}

// A node applied by hand, ready, of 64 CPUs and 110 pods.
static inline void bed_node(Bed *bed, const char *name) {
    cluster_create(bed->world,
                   "{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {kubernetes.io/hostname: %s}}, status: "
                   "{capacity: {cpu: '64', memory: 256Gi, pods: '110'}, allocatable: {cpu: '64', memory: 256Gi, pods: "
                   "'110'}, conditions: [{type: Ready, status: 'True', reason: KubeletReady}]}}",
                   name, name);
}

static inline void bed_nodes(Bed *bed, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        char name[16];

        snprintf(name, sizeof name, "n%u", i);
        bed_node(bed, name);
    }
}

static inline Slice bed_ns(KubeKind kind) {
    return kube_kind(kind)->namespaced ? SLICE("default") : SLICE("");
}

// NULL: no such object.
static inline const Value *bed_get(Bed *bed, KubeKind kind, const char *name) {
    Value *object = arena_alloc(&bed->arena, sizeof *object);

    if (kube_get(world_kube(bed->world), &bed->arena, (KubeRef){kind, bed_ns(kind), slice_of(name)}, object, NULL) !=
        OK)
        return NULL;
    return object;
}

// A member by its path, "status.readyReplicas"; NULL: there is none. Keys hold no dots.
static inline const Value *bed_at(const Value *object, const char *path) {
    while (object && *path) {
        size_t length = strcspn(path, ".");

        object = value_get(object, (Slice){path, length});
        path += length + (path[length] == '.');
    }
    return object;
}

static inline int64_t bed_int(Bed *bed, KubeKind kind, const char *name, const char *path) {
    int64_t number = 0;

    value_to_int64(bed_at(bed_get(bed, kind, name), path), &number);
    return number; // 0: absent, as Go leaves out zeros
}

static inline Slice bed_text(Bed *bed, KubeKind kind, const char *name, const char *path) {
    const Value *value = bed_at(bed_get(bed, kind, name), path);

    return value && value->kind == VALUE_STRING ? value->text : SLICE("");
}

static inline void assert_text(Slice text, const char *expected) {
    if (!slice_eq_text(text, expected))
        fail_msg("expected \"%s\", got \"%.*s\"", expected, SLICE_ARG(text));
}

// The condition's status, or its reason with `reason`; empty: there is none.
static inline Slice bed_condition_of(const Value *object, const char *type, const char *member) {
    const Value *conditions = bed_at(object, "status.conditions");

    for (uint32_t i = 0; conditions && i < conditions->list.count; i++) {
        if (slice_eq_text(kube_text(&conditions->list.items[i], "type", NULL), type))
            return kube_text(&conditions->list.items[i], member, NULL);
    }
    return SLICE("");
}

static inline Slice bed_condition(Bed *bed, KubeKind kind, const char *name, const char *type) {
    return bed_condition_of(bed_get(bed, kind, name), type, "status");
}

static inline KubeList bed_list(Bed *bed, KubeKind kind, const char *labels, const char *fields) {
    KubeList list = {0};

    assert_int_equal(kube_list(world_kube(bed->world), &bed->arena,
                               &(KubeListRequest){.kind = kind, .labels = slice_of(labels), .fields = slice_of(fields)},
                               &list, NULL),
                     OK);
    return list;
}

static inline uint32_t bed_count(Bed *bed, KubeKind kind, const char *labels) {
    return bed_list(bed, kind, labels, "").items.count;
}

static inline uint32_t bed_running(Bed *bed, const char *labels) {
    return bed_list(bed, KUBE_POD, labels, "status.phase=Running").items.count;
}

// The names in alphabetical order, "web-0 web-1".
static inline const char *bed_names(Bed *bed, KubeKind kind, const char *labels) {
    KubeList list = bed_list(bed, kind, labels, "");
    Slice names = SLICE("");

    for (uint32_t i = 0; i < list.items.count; i++)
        names = arena_printf(&bed->arena, "%.*s%s%.*s", SLICE_ARG(names), i ? " " : "",
                             SLICE_ARG(kube_name(&list.items.items[i])));
    return arena_printf(&bed->arena, "%.*s", SLICE_ARG(names)).ptr;
}

static inline const char *bed_name(Bed *bed, KubeKind kind, const char *labels) {
    KubeList list = bed_list(bed, kind, labels, "");

    assert_int_equal(list.items.count, 1);
    return arena_printf(&bed->arena, "%.*s", SLICE_ARG(kube_name(&list.items.items[0]))).ptr;
}

// A taint of the node as "key=value:effect"; whether it is there.
static inline bool bed_has_taint(Bed *bed, const char *node, const char *wanted) {
    const Value *taints = bed_at(bed_get(bed, KUBE_NODE, node), "spec.taints");

    for (uint32_t i = 0; taints && i < taints->list.count; i++) {
        const Value *taint = &taints->list.items[i];
        Slice text =
            arena_printf(&bed->arena, "%.*s=%.*s:%.*s", SLICE_ARG(kube_text(taint, "key", NULL)),
                         SLICE_ARG(kube_text(taint, "value", NULL)), SLICE_ARG(kube_text(taint, "effect", NULL)));

        if (slice_eq_text(text, wanted))
            return true;
    }
    return false;
}

static inline Symbol bed_symbol(Bed *bed, const char *text) {
    return symbol_intern(world_symbols(bed->world), slice_of(text));
}

// An instance as the cloud tells of it when it is running; "m-0", "m-1", … are the names of their nodes.
static inline SimInstance bed_instance(Bed *bed, const char *claim) {
    Symbols *symbols = world_symbols(bed->world);
    uint32_t number = bed->instances++;
    SimInstance instance = {.number = number, .state = SIM_INSTANCE_RUNNING, .will_join = true};

    instance.provider_id = symbol_intern(symbols, arena_printf(&bed->arena, "aws:///us-east-1a/i-%u", number));
    instance.node_name = symbol_intern(symbols, arena_printf(&bed->arena, "m-%u", number));
    instance.claim_name = claim ? bed_symbol(bed, claim) : SYMBOL_EMPTY;
    instance.instance_type = bed_symbol(bed, "m5.large");
    instance.zone = bed_symbol(bed, "us-east-1a");
    labels_set(&bed->arena, &instance.labels, bed_symbol(bed, "kubernetes.io/arch"), bed_symbol(bed, "arm64"));
    labels_set(&bed->arena, &instance.labels, bed_symbol(bed, "node.kubernetes.io/instance-type"),
               bed_symbol(bed, "m5.large"));
    return instance;
}

static inline void bed_change(Bed *bed, SimInstance *instance, SimInstanceState state) {
    instance->state = state;
    sim_kubelets_change(bed->kubelets, instance);
}
