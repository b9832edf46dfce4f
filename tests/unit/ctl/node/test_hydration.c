// node.hydration: the label of the NodeClass on Nodes that lack it. Reference lifecycle.md 0.1, 1.
#include "ctl/node/hydration.h"
#include "ctl/node_stage.h"

#define LABEL "metadata.labels.'karpenter.kwok.sh/kwoknodeclass'"

static Stage *without_label(void) {
    Stage *stage = node_stage(&node_hydration_controller, NULL);

    stage_put(stage, "{kind: Node, metadata: {name: n1, labels: {karpenter.kwok.sh/kwoknodeclass: null}}}");
    return stage;
}

TEST(label_comes_from_the_nodeclaim) {
    Stage *stage = without_label();

    assert_string_equal(
        stage_run(stage, "1s"),
        "+0s patch node/n1 {\"metadata\":{\"labels\":{\"karpenter.kwok.sh/kwoknodeclass\":\"default\"}}}\n");
    assert_string_equal(stage_part(stage, KUBE_NODE, "n1", LABEL), "\"default\"");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

TEST(label_waits_for_the_provider_id_of_the_claim) {
    Stage *stage = node_stage(&node_hydration_controller, NULL);

    stage_put(stage, "{kind: Node, metadata: {name: late}, spec: {providerID: 'kwok://b'}}");
    assert_string_equal(stage_run(stage, "1m"), "");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: b}, status: {providerID: 'kwok://b'}}");
    assert_says(stage_run(stage, "0s"), "patch node/late");
    stage_free(stage);
}

TEST(nodes_of_nobody_and_of_other_providers_get_none) {
    Stage *stage = node_stage(&node_hydration_controller, NULL);

    stage_put(stage, "{kind: Node, metadata: {name: alone}, spec: {providerID: 'kwok://alone'}}\n---\n"
                     "{kind: Node, metadata: {name: nameless}}\n---\n"
                     "{kind: Node, metadata: {name: other}, spec: {providerID: 'kwok://other'}}\n---\n"
                     "{kind: NodeClaim, metadata: {name: other}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                     "EC2NodeClass, name: x}}, status: {providerID: 'kwok://other'}}");
    assert_string_equal(stage_run(stage, "1m"), "");
    stage_free(stage);
}

TEST(a_patch_that_fails_is_tried_again) {
    Stage *stage = without_label();

    stage_break(stage, INTENT_PATCH, 2, ERR_TIMEOUT, "late");
    stage_run(stage, "1m");
    assert_string_equal(stage_part(stage, KUBE_NODE, "n1", LABEL), "\"default\"");
    stage_free(stage);
}
