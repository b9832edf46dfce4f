// Stages of a NodeClaim's life.
#include "ctl/support/claim_stage.h"

#include "text/value_edit.h"

Stage *claim_stage(void) {
    return stage_new(&claim_lifecycle_controller, NULL);
}

void put_claim(Stage *stage, const char *spec) {
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, spec: {%s}}", spec);
}

void put_joining_node(Stage *stage, const char *metadata) {
    stage_put(stage,
              "{kind: Node, metadata: {name: node-a%s%s}, spec: {providerID: 'kwok://a', taints: [{key: "
              "karpenter.sh/unregistered, effect: NoExecute}]}, status: {conditions: [Ready=False/KubeletNotReady], "
              "capacity: {cpu: 4, memory: 16Gi, pods: 110}, allocatable: {cpu: 4, memory: 16Gi, pods: 110}}}",
              *metadata ? ", " : "", metadata);
}

static bool is_not_ready_taint(const Value *taint) {
    return slice_eq_text(kube_text(taint, "key", NULL), "node.kubernetes.io/not-ready");
}

// What the node lifecycle controller of Kubernetes does when the kubelet reports ready.
static void lift_not_ready(Stage *stage, const char *name) {
    Arena arena = {0};
    Value node = stage_get(stage, KUBE_NODE, name);
    Value *taints = value_find_text(value_find_text(&node, "spec"), "taints");

    for (uint32_t i = taints ? taints->list.count : 0; i-- > 0;) {
        if (is_not_ready_taint(&taints->list.items[i]))
            value_list_remove(taints, i);
    }
    assert_int_equal(
        kube_update(stage_kube(stage), &arena, SLICE("test"), KUBE_NODE, KUBE_OBJECT, &node, &(Value){0}, NULL), OK);
    arena_free(&arena);
}

void put_named_node_ready(Stage *stage, const char *name) {
    lift_not_ready(stage, name);
    stage_put(stage, "{kind: Node, metadata: {name: %s}, status: {conditions: [Ready=True/KubeletReady]}}", name);
}

void put_node_ready(Stage *stage) {
    put_named_node_ready(stage, "node-a");
}

Stage *claim_stage_launched(const char *spec) {
    Stage *stage = claim_stage();

    put_claim(stage, spec);
    stage_run(stage, "1s");
    assert_says(stage_conditions(stage, KUBE_NODE_CLAIM, "a"), "Launched=True");
    return stage;
}

Stage *claim_stage_registered(const char *spec) {
    Stage *stage = claim_stage_launched(spec);

    put_joining_node(stage, "");
    stage_run(stage, "1s");
    assert_says(stage_conditions(stage, KUBE_NODE_CLAIM, "a"), "Registered=True");
    return stage;
}

Stage *claim_stage_initialized(const char *spec) {
    Stage *stage = claim_stage_registered(spec);

    put_node_ready(stage);
    stage_run(stage, "1s");
    assert_says(stage_conditions(stage, KUBE_NODE_CLAIM, "a"), "Initialized=True");
    return stage;
}
