// A World with nodes made by hand and the embedded scheduler, for the tests of src/sim/scheduler and src/sim/budgets.c.
//
// Nodes have a hostname label of their own name and no taint. Pods have one container "c" that asks for 100m of CPU and
// 64Mi unless their spec says otherwise.
#pragma once

#include "sim/scheduler/scheduler.h"
#include "sim/support/cluster.h"

#include <stdio.h>

static inline World *env_new(void) {
    World *world = world_new(&(WorldConfig){.seed = 1});

    sim_scheduler_add(world, &(SimSchedulerConfig){.cycles_per_s = 10000});
    return world;
}

// `labels` and `room` in flow style without braces: "zone: a", "cpu: 4, memory: 8Gi, pods: 10".
static inline void env_node(World *world, const char *name, const char *labels, const char *room) {
    cluster_create(world,
                   "{apiVersion: v1, kind: Node, metadata: {name: '%s', labels: {kubernetes.io/hostname: '%s', %s}}, "
                   "status: {allocatable: {%s}, conditions: [{type: Ready, status: 'True'}]}}",
                   name, name, labels, room);
    cluster_patch(world, KUBE_NODE, "", name, KUBE_OBJECT, "{spec: {taints: null}}");
}

static inline void env_plain_nodes(World *world, const char *names) {
    char name[2] = {0};

    for (; *names; names++) {
        name[0] = *names;
        env_node(world, name, "", "cpu: 4, memory: 8Gi, pods: 110");
    }
}

// `meta` and `spec` in flow style without braces; a spec without "containers:" gets the usual container.
static inline void env_pod_in(World *world, const char *ns, const char *name, const char *meta, const char *spec) {
    static const char container[] =
        "containers: [{name: c, image: i, resources: {requests: {cpu: 100m, memory: 64Mi}}}], ";

    cluster_create(world, "{apiVersion: v1, kind: Pod, metadata: {name: '%s', namespace: '%s', %s}, spec: {%s%s}}",
                   name, ns, meta, strstr(spec, "containers:") ? "" : container, spec);
}

static inline void env_pod(World *world, const char *name, const char *meta, const char *spec) {
    env_pod_in(world, "default", name, meta, spec);
}

// A pod that asks for so much, on a node already when `node` is not empty.
static inline void env_sized(World *world, const char *name, const char *requests, const char *rest) {
    char spec[512];

    snprintf(spec, sizeof spec, "containers: [{name: c, image: i, resources: {requests: {%s}}}], %s", requests, rest);
    env_pod(world, name, "", spec);
}

static inline void env_running(World *world, const char *name, const char *status) {
    char text[512];

    snprintf(text, sizeof text, "{status: {phase: Running, conditions: [{type: Ready, status: 'True'}], %s}}", status);
    cluster_patch(world, KUBE_POD, "default", name, KUBE_STATUS, text);
}

static inline const Pod *env_find_pod(World *world, const char *name) {
    const Pod *pod = state_pod(world_state(world), cluster_find(world, KUBE_POD, "default", name));

    if (!pod)
        fail_msg("there is no pod %s", name);
    return pod;
}

// Lets everything happen that happens within so many seconds.
static inline void env_wait(World *world, int64_t seconds) {
    cluster_run(world, SECONDS(seconds));
}

// "": not bound.
static inline void assert_bound(World *world, const char *pod, const char *node) {
    Slice found = symbol_text(world_symbols(world), env_find_pod(world, pod)->node_name);

    if (!slice_eq_text(found, node))
        fail_msg("%s is on \"%.*s\", expected \"%s\"", pod, SLICE_ARG(found), node);
}

// A member of the pod's condition PodScheduled.
static inline void assert_scheduled_condition(World *world, const char *name, const char *member, const char *text) {
    Arena arena = {0};
    Value pod;
    const Value *conditions;
    Slice found = SLICE("(no condition)");

    assert_int_equal(
        kube_get(world_kube(world), &arena, (KubeRef){KUBE_POD, SLICE("default"), slice_of(name)}, &pod, NULL), OK);
    conditions = value_at(&pod, "status", "conditions", NULL);
    for (uint32_t i = 0; conditions && i < conditions->list.count; i++) {
        const Value *condition = &conditions->list.items[i];

        if (slice_eq_text(kube_text(condition, "type", NULL), "PodScheduled"))
            found = kube_text(condition, member, NULL);
    }
    if (!slice_eq_text(found, text))
        fail_msg("%s: expected %s\n  \"%s\", got\n  \"%.*s\"", name, member, text, SLICE_ARG(found));
    arena_free(&arena);
}

// Not bound, with this message.
static inline void assert_refused(World *world, const char *pod, const char *message) {
    assert_bound(world, pod, "");
    assert_scheduled_condition(world, pod, "status", "False");
    assert_scheduled_condition(world, pod, "reason", "Unschedulable");
    assert_scheduled_condition(world, pod, "message", message);
}
