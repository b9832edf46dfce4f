// static.provisioning: reference lifecycle.md 6.1, scheduling.md 8.4.
#include "ctl/support/stage.h"

#include "ctl/pool/static_capacity.h"

static Stage *stage_static(void) {
    Settings settings = stage_settings();

    settings.gate_static_capacity = true;
    return stage_new(&static_provisioning_controller, &settings);
}

static Stage *with_pool(const char *spec) {
    Stage *stage = stage_static();

    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {%s}, status: {conditions: [Ready]}}", spec);
    return stage;
}

static uint32_t claims(Stage *stage) {
    return stage_count(stage, KUBE_NODE_CLAIM);
}

static void put_claim(Stage *stage, const char *name) {
    stage_put(stage,
              "{kind: NodeClaim, metadata: {name: %s, finalizers: [karpenter.sh/termination], labels: "
              "{karpenter.sh/nodepool: default}}, status: {providerID: 'kwok://%s'}}",
              name, name);
}

TEST(as_many_claims_as_replicas) {
    Stage *stage = with_pool("replicas: 3");
    const char *history = stage_run(stage, "0s");

    assert_int_equal(claims(stage), 3);
    assert_says(history, "log info provisioning nodeclaims to satisfy replica count NodePool=default current=0 "
                         "desired=3 provision-count=3");
    assert_string_equal(stage_due(stage, "default"), "1m0s");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

// 2.2: the template alone; the provider picks the type.
TEST(the_claim_says_what_the_template_says) {
    Stage *stage = with_pool("replicas: 1, template: {metadata: {labels: {team: a}}, spec: {expireAfter: 48h, "
                             "requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [zone-a, "
                             "zone-b]}]}}");
    const char *history = stage_run(stage, "0s");

    assert_says(history, "\"generateName\":\"default-\"");
    assert_says(history, "\"labels\":{\"karpenter.kwok.sh/kwoknodeclass\":\"default\",\"karpenter.sh/nodepool\":"
                         "\"default\",\"team\":\"a\"}");
    assert_says(history, "\"blockOwnerDeletion\":true,\"kind\":\"NodePool\",\"name\":\"default\"");
    assert_says(history, "\"karpenter.sh/nodepool-hash-version\":\"v3\"");
    assert_says(history, "{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"zone-a\","
                         "\"zone-b\"]}");
    assert_says(history, "\"expireAfter\":\"48h\"");
    assert_does_not_say(history, "instance-type");
    assert_does_not_say(history, "capacity-type");
    assert_does_not_say(history, "\"resources\"");
    assert_does_not_say(history, "min-values-relaxed");
    stage_free(stage);
}

TEST(no_replicas_no_claims) {
    Stage *stage = with_pool("replicas: 0");

    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

TEST(without_the_gate_nothing_happens) {
    Stage *stage = stage_new(&static_provisioning_controller, NULL);

    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {replicas: 3}, status: {conditions: [Ready]}}");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

TEST(a_pool_that_is_not_ready_waits) {
    Stage *stage = stage_static();

    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {replicas: 2}}");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_put(stage, "{kind: NodePool, metadata: {name: default}, status: {conditions: [Ready]}}");
    stage_run(stage, "0s");
    assert_int_equal(claims(stage), 2);
    stage_free(stage);
}

TEST(a_pool_that_is_deleting_gets_nothing) {
    Stage *stage = with_pool("replicas: 2");

    stage_put(stage, "{kind: NodePool, metadata: {name: default, finalizers: [example.com/hold]}}");
    stage_delete(stage, KUBE_NODE_POOL, "default");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

TEST(a_pool_of_another_provider_is_left_alone) {
    Stage *stage = with_pool("replicas: 2, template: {spec: {nodeClassRef: {group: example.com, kind: ThingClass, "
                             "name: default}}}");

    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

TEST(a_dynamic_pool_is_left_alone) {
    Stage *stage = with_pool("");

    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

// Active, deleting and pending ones all count against the limit.
TEST(the_limit_on_nodes_holds) {
    Stage *stage = with_pool("replicas: 5, limits: {nodes: '3'}");
    const char *history;

    put_claim(stage, "a");
    stage_delete(stage, KUBE_NODE_CLAIM, "a"); // deleting
    stage_run(stage, "0s");
    assert_int_equal(claims(stage), 3);
    history = stage_run(stage, "1m");
    assert_says(history, "log info nodepool node limit reached NodePool=default");
    assert_string_equal(stage_due(stage, "default"), "30s");
    assert_int_equal(claims(stage), 3);
    stage_remove(stage, KUBE_NODE_CLAIM, "a");
    stage_run(stage, "0s");
    assert_int_equal(claims(stage), 3);
    stage_free(stage);
}

TEST(a_claim_that_is_deleted_is_replaced_at_once) {
    Stage *stage = with_pool("replicas: 2");

    put_claim(stage, "a");
    put_claim(stage, "b");
    assert_string_equal(stage_run(stage, "1m"), "");
    stage_delete(stage, KUBE_NODE_CLAIM, "a"); // expired, repaired, or by hand
    assert_says(stage_run(stage, "0s"), "current=1 desired=2 provision-count=1");
    assert_int_equal(claims(stage), 3);
    stage_free(stage);
}

// Quirk fixed (lifecycle.md 10): what a command is about to replace is not replaced here as well.
TEST(claims_pending_disruption_count_as_there) {
    Stage *stage = with_pool("replicas: 3");

    put_claim(stage, "a");
    put_claim(stage, "b");
    state_mark_deleting(stage_state(stage), stage_find(stage, KUBE_NODE_CLAIM, "a"), true);
    assert_says(stage_run(stage, "0s"), "current=1 desired=3 provision-count=1");
    assert_int_equal(claims(stage), 3);
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

TEST(a_create_that_fails_is_tried_again) {
    Stage *stage = with_pool("replicas: 3");

    stage_break(stage, INTENT_CREATE, 2, ERR_IO, "the API server is away");
    stage_run(stage, "20s");
    assert_int_equal(claims(stage), 3);
    stage_free(stage);
}

TEST(a_create_that_was_not_answered_is_looked_for_first) {
    Stage *stage = with_pool("replicas: 3");
    const char *history;

    stage_lose_answer(stage, INTENT_CREATE, 1, ERR_TIMEOUT, "context deadline exceeded");
    stage_break(stage, INTENT_READ, 1, ERR_IO, "connection reset");
    history = stage_run(stage, "20s");
    assert_int_equal(stage_times(history, "read nodeclaims.karpenter.sh karpenter.sh/nodepool=default"), 2);
    assert_int_equal(stage_times(history, "create NodeClaim"), 3);
    assert_int_equal(claims(stage), 3);
    stage_free(stage);
}

// The State is behind: an answered create is in it all the same.
TEST(a_slow_watch_makes_no_second_claim) {
    Stage *stage = with_pool("replicas: 3");

    stage_reconcile(stage, "default");
    stage_carry_out(stage);
    stage_put(stage, "{kind: NodePool, metadata: {name: default, annotations: {note: x}}}");
    assert_string_equal(stage_run(stage, "1m"), "");
    assert_int_equal(claims(stage), 3);
    stage_free(stage);
}

TEST(killed_after_each_intent_it_makes_no_claim_twice) {
    for (uint32_t after = 0; after < 4; after++) {
        Stage *stage = with_pool("replicas: 4");

        stage_die_after(stage, after);
        stage_run(stage, "1m");
        assert_int_equal(claims(stage), 4);
        stage_free(stage);
    }
}
