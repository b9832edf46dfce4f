// nodepool.counter: reference lifecycle.md 5.1.
#include "ctl/support/stage.h"

#include "ctl/pool/controllers.h"

static Stage *with_pool(void) {
    Stage *stage = stage_new(&pool_counter_controller, NULL);

    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {}}");
    return stage;
}

static void put_claim(Stage *stage, const char *name, const char *status) {
    stage_put(stage, "{kind: NodeClaim, metadata: {name: %s, labels: {karpenter.sh/nodepool: default}}, status: {%s}}",
              name, status);
}

TEST(a_pool_without_nodes_counts_five_zeros) {
    Stage *stage = with_pool();

    stage_run(stage, "0s");
    assert_string_equal(stage_part(stage, KUBE_NODE_POOL, "default", "status.resources"),
                        "{\"cpu\":\"0\",\"memory\":\"0\",\"pods\":\"0\",\"ephemeral-storage\":\"0\",\"nodes\":\"0\"}");
    assert_string_equal(stage_part(stage, KUBE_NODE_POOL, "default", "status.nodes"), "0");
    stage_free(stage);
}

TEST(nodes_and_claims_are_counted_within_five_seconds) {
    Stage *stage = with_pool();

    stage_run(stage, "10s");
    put_claim(stage, "a",
              "providerID: 'kwok://a', capacity: {cpu: '4', memory: 16Gi, pods: '110', example.com/gpu: '1'}");
    put_claim(stage, "b", "providerID: 'kwok://b', capacity: {cpu: 3500m, memory: 8Gi, pods: '110'}");
    assert_string_equal(stage_run(stage, "4s"), "");
    stage_run(stage, "1s");
    assert_string_equal(stage_part(stage, KUBE_NODE_POOL, "default", "status.resources"),
                        "{\"cpu\":\"7500m\",\"memory\":\"24Gi\",\"pods\":\"220\",\"ephemeral-storage\":\"0\",\"nodes\":"
                        "\"2\",\"example.com/gpu\":\"1\"}");
    assert_string_equal(stage_part(stage, KUBE_NODE_POOL, "default", "status.nodes"), "2");
    stage_free(stage);
}

// What goes away does not count; a resource that nobody has any more is taken out.
TEST(claims_that_go_away_do_not_count) {
    Stage *stage = with_pool();

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination], labels: "
                     "{karpenter.sh/nodepool: default}}, status: {providerID: 'kwok://a', capacity: {cpu: '4', "
                     "example.com/gpu: '1'}}}");
    put_claim(stage, "b", "providerID: 'kwok://b', capacity: {cpu: '2'}");
    stage_run(stage, "10s");
    assert_string_equal(stage_part(stage, KUBE_NODE_POOL, "default", "status.nodes"), "2");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_run(stage, "5s");
    assert_string_equal(stage_part(stage, KUBE_NODE_POOL, "default", "status.nodes"), "1");
    assert_string_equal(stage_part(stage, KUBE_NODE_POOL, "default", "status.resources.cpu"), "\"2\"");
    assert_string_equal(stage_part(stage, KUBE_NODE_POOL, "default", "status.resources.'example.com/gpu'"), "");
    stage_free(stage);
}

TEST(a_busy_pool_is_counted_once_in_five_seconds) {
    Stage *stage = with_pool();
    uint32_t patches = 0;

    stage_run(stage, "10s");
    for (uint32_t i = 0; i < 50; i++) {
        char name[16];

        snprintf(name, sizeof name, "a%u", i);
        put_claim(stage, name, "capacity: {cpu: '1'}");
        patches += stage_times(stage_run(stage, "1s"), "patch nodepool/default status");
    }
    assert_true(patches >= 9 && patches <= 10);
    stage_free(stage);
}

TEST(nothing_is_written_when_nothing_is_different) {
    Stage *stage = with_pool();

    put_claim(stage, "a", "capacity: {cpu: '1'}");
    stage_run(stage, "10s");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, annotations: {note: x}}}");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

TEST(what_somebody_else_wrote_is_put_right) {
    Stage *stage = with_pool();

    stage_run(stage, "10s");
    stage_put(stage, "{kind: NodePool, metadata: {name: default}, status: {nodes: 7}}");
    stage_run(stage, "5s");
    assert_string_equal(stage_part(stage, KUBE_NODE_POOL, "default", "status.nodes"), "0");
    stage_free(stage);
}

TEST(a_pool_of_another_provider_is_left_alone) {
    Stage *stage = stage_new(&pool_counter_controller, NULL);

    stage_put(stage, "{kind: NodePool, metadata: {name: other}, spec: {template: {spec: {nodeClassRef: {group: "
                     "example.com, kind: ThingClass, name: default}}}}}");
    assert_string_equal(stage_run(stage, "1m"), "");
    stage_free(stage);
}
