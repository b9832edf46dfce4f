// instance.garbagecollection: reference aws.md 7.2, and launches whose claim was deleted (law 5).
#include "ctl/claim/orphans.h"
#include "ctl/support/claim_env.h"

// The controller alone; its first list is made at once.
static TestEnv *orphans_env(void) {
    return env_new(&claim_orphans_controller, NULL);
}

TEST(every_10_s_20_times_then_every_2_minutes) {
    TestEnv *env = orphans_env();
    const char *history;

    history = env_run(env, "10m");
    assert_says(history, "+0s list-instances\n+10s list-instances\n+20s list-instances\n");
    assert_says(history, "+3m10s list-instances\n+3m20s list-instances\n+5m20s list-instances\n+7m20s "
                         "list-instances\n+9m20s list-instances\n");
    assert_int_equal(env_times(history, "list-instances"), 24);
    env_free(env);
}

// Lists that fail do not count as rounds.
TEST(a_list_that_fails_is_asked_for_again) {
    TestEnv *env = orphans_env();
    const char *history;

    env_break(env, INTENT_LIST_INSTANCES, 2, ERR_IO, "no network");
    history = env_run(env, "5s");
    assert_says(history, "+1s list-instances");
    assert_says(history, "+3s list-instances");
    assert_int_equal(env_times(history, "log error Reconciler error error=no network"), 2);
    env_free(env);
}

TEST(an_instance_without_claim_ends_with_its_node) {
    TestEnv *env = orphans_env();
    const char *history;

    env_add_instance(env, "kwok://lost");
    env_put(env, "{kind: Node, metadata: {name: node-lost}, spec: {providerID: 'kwok://lost'}}\n---\n"
                 "{kind: Node, metadata: {name: mine}, spec: {providerID: 'other://mine'}}");
    history = env_run(env, "1m");
    assert_says(history, "+30s log debug garbage collecting instance with no nodeclaim provider-id=kwok://lost\n"
                         "+30s terminate kwok://lost\n"
                         "+30s delete node/node-lost\n");
    assert_int_equal(env_times(history, "terminate"), 1);
    assert_int_equal(env_instances_alive(env), 0);
    assert_true(env_has(env, KUBE_NODE, "mine"));
    env_free(env);
}

// Who may not list Machines does not know which instances are theirs.
TEST(instances_of_machines_that_are_hidden_are_left_alone) {
    atomic_bool hidden = true;
    Settings settings = env_settings();
    TestEnv *env;
    const char *history;

    settings.machines_are_hidden = &hidden;
    env = env_new(&claim_orphans_controller, &settings);
    env_add_instance(env, "kwok://old");
    env_instance(env, "kwok://old")->claim_name = "machine/m1";
    env_add_instance(env, "kwok://lost");
    history = env_run(env, "5m");
    assert_says(history, "terminate kwok://lost");
    assert_does_not_say(history, "terminate kwok://old");
    assert_says(history,
                "log warn leaving instances of Machines alone: tenon may not list Machines (legacy.enabled of the "
                "chart) instances=1");
    atomic_store(&hidden, false);
    assert_says(env_run(env, "5m"), "terminate kwok://old");
    env_free(env);
}

TEST(an_instance_younger_than_30_s_is_left_alone) {
    TestEnv *env = orphans_env();

    env_run(env, "1s");
    env_add_instance(env, "kwok://young");
    assert_does_not_say(env_run(env, "30s"), "terminate"); // 29 s old at the list of then
    assert_says(env_run(env, "9s"), "terminate kwok://young");
    env_free(env);
}

TEST(an_instance_with_a_claim_is_left_alone) {
    TestEnv *env = orphans_env();

    env_add_instance(env, "kwok://a");
    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {providerID: 'kwok://a'}}");
    env_add_instance(env, "aws://b"); // of whichever provider the claim is
    env_put(env, "{kind: NodeClaim, metadata: {name: b}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                 "EC2NodeClass, name: default}}, status: {providerID: 'aws://b'}}");
    assert_does_not_say(env_run(env, "10m"), "terminate");
    env_free(env);
}

// The status will be written, or the launch repeated, with this instance.
TEST(an_instance_whose_claim_has_not_taken_it_yet_is_left_alone) {
    TestEnv *env = orphans_env();

    env_add_instance(env, "kwok://a");
    env_instance(env, "kwok://a")->claim_name = "a";
    env_put(env, "{kind: NodeClaim, metadata: {name: a}}");
    assert_does_not_say(env_run(env, "10m"), "terminate");
    env_remove(env, KUBE_NODE_CLAIM, "a");
    assert_says(env_run(env, "2m"), "terminate kwok://a");
    env_free(env);
}

// A process died between the answer of a launch and its record; the claim names the launch.
TEST(an_instance_of_a_launch_that_a_claim_waits_for_is_left_alone) {
    TestEnv *env = orphans_env();

    env_add_instance(env, "kwok://a");
    env_add_instance(env, "kwok://stranger");
    env_instance(env, "kwok://a")->launch = "token";
    env_instance(env, "kwok://stranger")->launch = "tok";
    env_put(env, "{kind: NodeClaim, metadata: {name: a, annotations: {tenon.sh/launch: token/0/1}}}");
    assert_says(env_run(env, "10m"), "terminate kwok://stranger");
    assert_int_equal(env_instances_alive(env), 1);
    env_put(env, "{kind: NodeClaim, metadata: {name: a, annotations: {tenon.sh/launch: token/0/1}}, status: "
                 "{providerID: 'kwok://b'}}");
    assert_says(env_run(env, "2m"), "terminate kwok://a");
    env_free(env);
}

TEST(an_instance_whose_claim_took_another_ends) {
    TestEnv *env = orphans_env();
    const char *history;

    env_add_instance(env, "kwok://old");
    env_add_instance(env, "kwok://new");
    env_instance(env, "kwok://old")->claim_name = env_instance(env, "kwok://new")->claim_name = "a";
    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {providerID: 'kwok://new'}}");
    history = env_run(env, "1m");
    assert_says(history, "terminate kwok://old");
    assert_does_not_say(history, "terminate kwok://new");
    env_free(env);
}

TEST(an_instance_on_its_way_down_is_not_ended_again) {
    TestEnv *env = orphans_env();

    env_cloud(env)->terminate_takes_ns = 600 * NS_PER_S;
    env_add_instance(env, "kwok://lost");
    assert_int_equal(env_times(env_run(env, "5m"), "terminate"), 1);
    env_free(env);
}

TEST(one_that_fails_stops_no_other) {
    TestEnv *env = orphans_env();
    const char *history;

    env_add_instance(env, "kwok://one");
    env_add_instance(env, "kwok://two");
    env_break(env, INTENT_TERMINATE, 1, ERR_THROTTLED, "RequestLimitExceeded");
    history = env_run(env, "30s");
    assert_int_equal(env_times(history, "log error Reconciler error error=RequestLimitExceeded"), 1);
    assert_true(env_instance(env, "kwok://two")->terminating);
    assert_says(env_run(env, "10s"), "terminate kwok://one");
    env_free(env);
}

// The list has an instance that is gone meanwhile.
TEST(one_that_is_gone_already_is_no_error) {
    TestEnv *env = orphans_env();

    env_add_instance(env, "kwok://lost");
    env_break(env, INTENT_TERMINATE, 1, ERR_NOT_FOUND, "instance not found");
    assert_does_not_say(env_run(env, "30s"), "error");
    env_free(env);
}

// --- together with nodeclaim.lifecycle

// The process died before the launch's reply, and the claim was deleted before the next process started, which so does
// not know of the instance.
TEST(a_launch_whose_claim_went_away_leaves_nothing) {
    TestEnv *env = claim_env();

    env_add(env, &claim_orphans_controller);
    put_claim(env, "");
    env_reconcile(env, "a"); // finalizer
    env_carry_out(env);
    env_die_after(env, 1);
    env_reconcile(env, "a"); // launch
    env_carry_out(env);
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_restart(env);
    env_run(env, "1s");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_instances_alive(env), 1);
    env_run(env, "1m");
    assert_int_equal(env_instances_alive(env), 0);
    env_free(env);
}

// Finalizers are removed by hand during the launch, and another claim is made with that name: the launch's result must
// not go to the new claim.
TEST(an_answer_is_not_given_to_another_claim_of_the_name) {
    TestEnv *env = claim_env();

    env_add(env, &claim_orphans_controller);
    put_claim(env, "");
    env_reconcile(env, "a"); // finalizer
    env_carry_out(env);
    assert_says(env_reconcile(env, "a"), "launch a");
    env_hold(env);
    env_remove(env, KUBE_NODE_CLAIM, "a");
    put_claim(env, "");
    env_let_go(env);
    env_run(env, "1s");
    assert_int_equal(env_cloud(env)->launches, 2);
    assert_int_equal(env_instances_alive(env), 2);
    env_run(env, "5m");
    assert_int_equal(env_instances_alive(env), 1);
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "status.providerID"), "\"kwok://a-2\"");
    env_free(env);
}
