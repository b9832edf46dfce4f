// NodeClaims brought to each phase of their life.
#include "ctl/support/claim_env.h"

#include "text/value_edit.h"

TestEnv *claim_env(void) {
    return env_new(&claim_lifecycle_controller, NULL);
}

void put_claim(TestEnv *env, const char *spec) {
    env_put(env, "{kind: NodeClaim, metadata: {name: a}, spec: {%s}}", spec);
}

void put_joining_node(TestEnv *env, const char *metadata) {
    env_put(env,
            "{kind: Node, metadata: {name: node-a%s%s}, spec: {providerID: 'kwok://a', taints: [{key: "
            "karpenter.sh/unregistered, effect: NoExecute}]}, status: {conditions: [Ready=False/KubeletNotReady], "
            "capacity: {cpu: 4, memory: 16Gi, pods: 110}, allocatable: {cpu: 4, memory: 16Gi, pods: 110}}}",
            *metadata ? ", " : "", metadata);
}

static bool is_not_ready_taint(const Value *taint) {
    return slice_eq_text(kube_text(taint, "key", NULL), "node.kubernetes.io/not-ready");
}

// What the node lifecycle controller of Kubernetes does when the kubelet reports ready.
static void lift_not_ready(TestEnv *env, const char *name) {
    Arena arena = {0};
    Value node = env_get(env, KUBE_NODE, name);
    Value *taints = value_find_text(value_find_text(&node, "spec"), "taints");

    for (uint32_t i = taints ? taints->list.count : 0; i-- > 0;) {
        if (is_not_ready_taint(&taints->list.items[i]))
            value_list_remove(taints, i);
    }
    assert_int_equal(
        kube_update(env_kube(env), &arena, SLICE("test"), KUBE_NODE, KUBE_OBJECT, &node, &(Value){0}, NULL), OK);
    arena_free(&arena);
}

void put_named_node_ready(TestEnv *env, const char *name) {
    lift_not_ready(env, name);
    env_put(env, "{kind: Node, metadata: {name: %s}, status: {conditions: [Ready=True/KubeletReady]}}", name);
}

void put_node_ready(TestEnv *env) {
    put_named_node_ready(env, "node-a");
}

TestEnv *claim_env_launched(const char *spec) {
    TestEnv *env = claim_env();

    put_claim(env, spec);
    env_run(env, "1s");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Launched=True");
    return env;
}

TestEnv *claim_env_registered(const char *spec) {
    TestEnv *env = claim_env_launched(spec);

    put_joining_node(env, "");
    env_run(env, "1s");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Registered=True");
    return env;
}

TestEnv *claim_env_initialized(const char *spec) {
    TestEnv *env = claim_env_registered(spec);

    put_node_ready(env);
    env_run(env, "1s");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Initialized=True");
    return env;
}
