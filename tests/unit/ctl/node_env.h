// NodeEnv: a TestEnv with a terminating Node: Node "n1" of NodeClaim "a" with instance kwok://a, pods on it, and a
// simulated kubelet. For the tests of node.termination, the drain and the eviction queue.
#pragma once

#include "ctl/node/eviction_queue.h"
#include "ctl/node/termination.h"
#include "ctl/support/env.h"

#include <stdio.h>
#include <stdlib.h>

#define NODE_LABELS "labels: {karpenter.kwok.sh/kwoknodeclass: default, karpenter.sh/nodepool: p}"

// A node like the one of `ending_env` under another name.
static inline void put_node(TestEnv *env, const char *node, const char *claim) {
    char provider_id[64];

    snprintf(provider_id, sizeof provider_id, "kwok://%s", claim);
    env_put(env,
            "{kind: NodeClaim, metadata: {name: %s, finalizers: [karpenter.sh/termination], " NODE_LABELS "},"
            " status: {providerID: '%s', nodeName: %s, conditions: [Launched, Registered, Initialized, Ready]}}\n"
            "---\n"
            "{kind: Node, metadata: {name: %s, finalizers: [karpenter.sh/termination], " NODE_LABELS "},"
            " spec: {providerID: '%s'}, status: {conditions: [Ready]}}",
            claim, provider_id, node, node, provider_id);
    env_add_instance(env, provider_id);
}

static inline TestEnv *node_env(const Controller *first, const Controller *second) {
    TestEnv *env = env_new(first, NULL);

    if (second)
        env_add(env, second);
    put_node(env, "n1", "a");
    return env;
}

// A running pod on the node. `meta` and `spec` are more members of theirs, each beginning with a comma.
static inline void put_pod_on(TestEnv *env, const char *node, const char *name, const char *meta, const char *spec) {
    env_put(env,
            "{kind: Pod, metadata: {name: %s, labels: {app: %s}%s}, spec: {nodeName: %s%s},"
            " status: {phase: Running, startTime: '2026-01-05T00:00:00Z', conditions: [Ready, PodScheduled]}}",
            name, name, meta, node, spec);
}

static inline void put_pod(TestEnv *env, const char *name, const char *meta, const char *spec) {
    put_pod_on(env, "n1", name, meta, spec);
}

// ", ownerReferences: […]" of an owner that exists; a DaemonSet or StatefulSet is made when it does not.
static inline const char *owned_by(TestEnv *env, KubeKind kind, const char *name) {
    static _Thread_local char text[512];
    const KubeKindInfo *info = kube_kind(kind);
    char ref[128];

    if (kind != KUBE_NODE && !env_has(env, kind, name))
        env_put(env,
                "{kind: %.*s, metadata: {name: %s}, spec: {serviceName: s, selector: {matchLabels: {app: x}},"
                " template: {metadata: {labels: {app: x}}, spec: {containers: [{name: main, image: app}]}}}}",
                SLICE_ARG(info->kind), name);
    snprintf(ref, sizeof ref, "apiVersion: %.*s, kind: %.*s, name: %s", SLICE_ARG(info->api_version),
             SLICE_ARG(info->kind), name);
    snprintf(text, sizeof text, ", ownerReferences: [{%s, controller: true, uid: %s}]", ref,
             env_part(env, kind, name, "metadata.uid"));
    return text;
}

#define CRITICAL       ", priorityClassName: system-cluster-critical"
#define TOLERATES      ", tolerations: [{key: karpenter.sh/disrupted, operator: Exists}]"
#define DO_NOT_DISRUPT ", annotations: {karpenter.sh/do-not-disrupt: 'true'}"

// A budget over the pod of that name, with room for so many disruptions.
static inline void put_budget(TestEnv *env, const char *budget, const char *pod, int room) {
    env_put(env,
            "{kind: PodDisruptionBudget, metadata: {name: %s}, spec: {minAvailable: 1, selector: {matchLabels: {app: "
            "%s}}}, status: {disruptionsAllowed: %d, currentHealthy: %d, desiredHealthy: 1, expectedPods: 1,"
            " observedGeneration: 1}}",
            budget, pod, room, room + 1);
}

// Deadline of the claim, as claim lifecycle or a user sets it.
static inline void put_deadline(TestEnv *env, const char *time) {
    env_put(env,
            "{kind: NodeClaim, metadata: {name: a, annotations: {karpenter.sh/nodeclaim-termination-timestamp: '%s'}}}",
            time);
}

// Pods whose time is over go, as a kubelet lets them.
static inline void kubelet_works(TestEnv *env) {
    State *state = env_state(env);
    Handle next;

    for (Handle pod = state_next(state, KUBE_POD, HANDLE_NONE); pod.generation; pod = next) {
        const Pod *at = state_pod(state, pod);
        char path[128];

        next = state_next(state, KUBE_POD, pod);
        if (!at->deleting || at->deleted_ns > env_now_ns(env))
            continue;
        snprintf(path, sizeof path, "%.*s", SLICE_ARG(symbol_text(state_symbols(state), at->name)));
        env_remove(env, KUBE_POD, path);
    }
}
