// instance.garbagecollection: reference aws.md 7.2, and launches whose claim went away (law 5).
#include "ctl/claim/orphans.h"
#include "ctl/support/claim_stage.h"

// Only the orphans' controller; its first list comes at once.
static Stage *orphans_stage(void) {
    return stage_new(&claim_orphans_controller, NULL);
}

TEST(every_10_s_20_times_then_every_2_minutes) {
    Stage *stage = orphans_stage();
    const char *history;

    history = stage_run(stage, "10m");
    assert_says(history, "+0s list-instances\n+10s list-instances\n+20s list-instances\n");
    assert_says(history, "+3m10s list-instances\n+3m20s list-instances\n+5m20s list-instances\n+7m20s "
                         "list-instances\n+9m20s list-instances\n");
    assert_int_equal(stage_times(history, "list-instances"), 24);
    stage_free(stage);
}

// Only rounds that were answered count.
TEST(a_list_that_fails_is_asked_for_again) {
    Stage *stage = orphans_stage();
    const char *history;

    stage_break(stage, INTENT_LIST_INSTANCES, 2, ERR_IO, "no network");
    history = stage_run(stage, "5s");
    assert_says(history, "+1s list-instances");
    assert_says(history, "+3s list-instances");
    assert_int_equal(stage_times(history, "log error Reconciler error error=no network"), 2);
    stage_free(stage);
}

TEST(an_instance_without_claim_ends_with_its_node) {
    Stage *stage = orphans_stage();
    const char *history;

    stage_add_instance(stage, "kwok://lost");
    stage_put(stage, "{kind: Node, metadata: {name: node-lost}, spec: {providerID: 'kwok://lost'}}\n---\n"
                     "{kind: Node, metadata: {name: mine}, spec: {providerID: 'other://mine'}}");
    history = stage_run(stage, "1m");
    assert_says(history, "+30s log debug garbage collecting instance with no nodeclaim provider-id=kwok://lost\n"
                         "+30s terminate kwok://lost\n"
                         "+30s delete node/node-lost\n");
    assert_int_equal(stage_times(history, "terminate"), 1);
    assert_int_equal(stage_instances_alive(stage), 0);
    assert_true(stage_has(stage, KUBE_NODE, "mine"));
    stage_free(stage);
}

TEST(an_instance_younger_than_30_s_is_left_alone) {
    Stage *stage = orphans_stage();

    stage_run(stage, "1s");
    stage_add_instance(stage, "kwok://young");
    assert_does_not_say(stage_run(stage, "30s"), "terminate"); // 29 s old at the list of then
    assert_says(stage_run(stage, "9s"), "terminate kwok://young");
    stage_free(stage);
}

TEST(an_instance_with_a_claim_is_left_alone) {
    Stage *stage = orphans_stage();

    stage_add_instance(stage, "kwok://a");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, status: {providerID: 'kwok://a'}}");
    stage_add_instance(stage, "aws://b"); // of whichever provider the claim is
    stage_put(stage, "{kind: NodeClaim, metadata: {name: b}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                     "EC2NodeClass, name: default}}, status: {providerID: 'aws://b'}}");
    assert_does_not_say(stage_run(stage, "10m"), "terminate");
    stage_free(stage);
}

// The status is about to be written, or the launch to be asked for again: it will give this very instance.
TEST(an_instance_whose_claim_has_not_taken_it_yet_is_left_alone) {
    Stage *stage = orphans_stage();

    stage_add_instance(stage, "kwok://a");
    stage_instance(stage, "kwok://a")->claim_name = "a";
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}}");
    assert_does_not_say(stage_run(stage, "10m"), "terminate");
    stage_remove(stage, KUBE_NODE_CLAIM, "a");
    assert_says(stage_run(stage, "2m"), "terminate kwok://a");
    stage_free(stage);
}

TEST(an_instance_whose_claim_took_another_ends) {
    Stage *stage = orphans_stage();
    const char *history;

    stage_add_instance(stage, "kwok://old");
    stage_add_instance(stage, "kwok://new");
    stage_instance(stage, "kwok://old")->claim_name = stage_instance(stage, "kwok://new")->claim_name = "a";
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, status: {providerID: 'kwok://new'}}");
    history = stage_run(stage, "1m");
    assert_says(history, "terminate kwok://old");
    assert_does_not_say(history, "terminate kwok://new");
    stage_free(stage);
}

TEST(an_instance_on_its_way_down_is_not_ended_again) {
    Stage *stage = orphans_stage();

    stage_cloud(stage)->terminate_takes_ns = 600 * NS_PER_S;
    stage_add_instance(stage, "kwok://lost");
    assert_int_equal(stage_times(stage_run(stage, "5m"), "terminate"), 1);
    stage_free(stage);
}

TEST(one_that_fails_stops_no_other) {
    Stage *stage = orphans_stage();
    const char *history;

    stage_add_instance(stage, "kwok://one");
    stage_add_instance(stage, "kwok://two");
    stage_break(stage, INTENT_TERMINATE, 1, ERR_THROTTLED, "RequestLimitExceeded");
    history = stage_run(stage, "30s");
    assert_int_equal(stage_times(history, "log error Reconciler error error=RequestLimitExceeded"), 1);
    assert_true(stage_instance(stage, "kwok://two")->terminating);
    assert_says(stage_run(stage, "10s"), "terminate kwok://one");
    stage_free(stage);
}

// The list shows what is gone by now.
TEST(one_that_is_gone_already_is_no_error) {
    Stage *stage = orphans_stage();

    stage_add_instance(stage, "kwok://lost");
    stage_break(stage, INTENT_TERMINATE, 1, ERR_NOT_FOUND, "instance not found");
    assert_does_not_say(stage_run(stage, "30s"), "error");
    stage_free(stage);
}

// --- together with nodeclaim.lifecycle

// The launch was made, its answer was lost with the process, and the claim was deleted before the next one looked: it
// cannot know of the instance.
TEST(a_launch_whose_claim_went_away_leaves_nothing) {
    Stage *stage = claim_stage();

    stage_add(stage, &claim_orphans_controller);
    put_claim(stage, "");
    stage_reconcile(stage, "a"); // finalizer
    stage_carry_out(stage);
    stage_die_after(stage, 1);
    stage_reconcile(stage, "a"); // launch
    stage_carry_out(stage);
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_restart(stage);
    stage_run(stage, "1s");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_instances_alive(stage), 1);
    stage_run(stage, "1m");
    assert_int_equal(stage_instances_alive(stage), 0);
    stage_free(stage);
}

// Finalizers taken off by hand while the launch was under way, and the name given to another claim: the answer is not
// the new one's.
TEST(an_answer_is_not_given_to_another_claim_of_the_name) {
    Stage *stage = claim_stage();

    stage_add(stage, &claim_orphans_controller);
    put_claim(stage, "");
    stage_reconcile(stage, "a"); // finalizer
    stage_carry_out(stage);
    assert_says(stage_reconcile(stage, "a"), "launch a");
    stage_hold(stage);
    stage_remove(stage, KUBE_NODE_CLAIM, "a");
    put_claim(stage, "");
    stage_let_go(stage);
    stage_run(stage, "1s");
    assert_int_equal(stage_cloud(stage)->launches, 2);
    assert_int_equal(stage_instances_alive(stage), 2);
    stage_run(stage, "5m");
    assert_int_equal(stage_instances_alive(stage), 1);
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "status.providerID"), "\"kwok://a-2\"");
    stage_free(stage);
}
