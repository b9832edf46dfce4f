// nodeclass: reference aws.md 1, 1.2, 1.3, 7.1; lifecycle.md 0.3. Upstream's areas: nodeclass status and validation,
// nodeclass termination.
#include "ctl/class/class_env.h"

#include "ctl/common/condition_events.h"

static TestEnv *ready_env(void) {
    TestEnv *env = class_env(&class_controller);

    class_put(env);
    env_run(env, "0s");
    return env;
}

static const char *part(TestEnv *env, const char *path) {
    return env_part(env, KUBE_EC2_NODE_CLASS, "default", path);
}

static const char *ready(TestEnv *env) {
    return env_condition(env, KUBE_EC2_NODE_CLASS, "default", "Ready");
}

// --- lookups: nodeclass status

TEST(the_finalizer_is_written_before_anything_is_looked_up) {
    TestEnv *env = class_env(&class_controller);

    class_put(env);
    assert_string_equal(env_reconcile(env, "default"),
                        "patch ec2nodeclass/default locked {\"metadata\":{\"finalizers\":[\"karpenter.k8s.aws/"
                        "termination\"]}}\nresolve-class default\n");
    env_fail(env, 0, ERR_IO, "the API server is away");
    assert_int_equal(env_cloud(env)->lookups, 0);
    env_free(env);
}

TEST(a_foreign_finalizer_is_kept) {
    TestEnv *env = class_env(&class_controller);

    env_put(env, "{kind: EC2NodeClass, metadata: {name: default, finalizers: [example.com/hold]}, spec: {role: r, "
                 "amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], "
                 "securityGroupSelectorTerms: [{id: sg-1}]}}");
    env_run(env, "0s");
    assert_string_equal(part(env, "metadata.finalizers"), "[\"example.com/hold\",\"karpenter.k8s.aws/termination\"]");
    env_free(env);
}

TEST(what_was_found_is_in_the_status) {
    TestEnv *env = ready_env();

    assert_string_equal(part(env, "status.instanceProfile"), "\"profile-1\"");
    assert_string_equal(part(env, "status.subnets"),
                        "[{\"id\":\"subnet-1\",\"zone\":\"test-zone-a\",\"zoneID\":\"tz1\"}]");
    assert_string_equal(env_conditions(env, KUBE_EC2_NODE_CLASS, "default"),
                        "SubnetsReady=True/SubnetsReady AMIsReady=True/AMIsReady Ready=True/Ready");
    assert_string_equal(part(env, "metadata.finalizers"), "[\"karpenter.k8s.aws/termination\"]");
    env_free(env);
}

TEST(status_and_conditions_are_one_patch_with_the_resource_version) {
    TestEnv *env = class_env(&class_controller);
    const char *said;

    class_put(env);
    said = env_run(env, "0s");
    assert_int_equal(env_times(said, "status locked"), 1);
    assert_says(said, "\"instanceProfile\":\"profile-1\"");
    assert_int_equal(env_times(said, "patch"), 2); // the finalizer is the other one
    env_free(env);
}

TEST(it_asks_again_when_the_cloud_says_so_and_writes_nothing_that_is_there) {
    TestEnv *env = ready_env();

    assert_string_equal(env_due(env, "default"), "5m0s");
    assert_string_equal(env_run(env, "11m"), "+5m0s resolve-class default\n+10m0s resolve-class default\n");
    env_free(env);
}

TEST(a_process_that_starts_anew_writes_nothing_that_is_there) {
    TestEnv *env = ready_env();

    env_restart(env);
    assert_string_equal(env_run(env, "0s"), "+0s resolve-class default\n");
    env_free(env);
}

TEST(a_write_of_the_status_causes_no_lookup) {
    TestEnv *env = ready_env();

    assert_int_equal(env_cloud(env)->lookups, 1);
    env_run(env, "4m");
    assert_int_equal(env_cloud(env)->lookups, 1);
    env_free(env);
}

TEST(an_annotation_causes_no_lookup) {
    TestEnv *env = ready_env();

    env_put(env, "{kind: EC2NodeClass, metadata: {name: default, annotations: {a: b}}}");
    env_run(env, "4m");
    assert_int_equal(env_cloud(env)->lookups, 1);
    env_free(env);
}

TEST(a_change_of_the_spec_is_looked_up_at_once) {
    TestEnv *env = ready_env();

    env_put(env, "{kind: EC2NodeClass, metadata: {name: default}, spec: {role: other}}");
    assert_string_equal(env_due(env, "default"), "0s");
    env_run(env, "0s");
    assert_int_equal(env_cloud(env)->lookups, 2);
    assert_says(part(env, "status.conditions"), "\"observedGeneration\":2");
    assert_does_not_say(part(env, "status.conditions"), "\"observedGeneration\":1");
    env_free(env);
}

TEST(an_answer_about_a_former_spec_is_not_written) {
    TestEnv *env = ready_env();

    env_find_condition(env, "SubnetsReady", "False", "SubnetsNotFound", "none");
    env_pass(env, "5m");
    env_reconcile(env, "default");
    env_hold(env);
    env_put(env, "{kind: EC2NodeClass, metadata: {name: default}, spec: {role: other}}");
    env_find_condition(env, "SubnetsReady", "True", "", "");
    env_let_go(env);
    assert_string_equal(env_condition(env, KUBE_EC2_NODE_CLASS, "default", "SubnetsReady"), "True/SubnetsReady");
    env_run(env, "0s");
    assert_says(part(env, "status.conditions"), "\"observedGeneration\":2");
    env_free(env);
}

TEST(a_class_of_that_name_that_is_another_one_is_looked_up_anew) {
    TestEnv *env = ready_env();

    env_remove(env, KUBE_EC2_NODE_CLASS, "default");
    class_put(env);
    env_run(env, "0s");
    assert_int_equal(env_cloud(env)->lookups, 2);
    assert_string_equal(ready(env), "True/Ready");
    env_free(env);
}

TEST(what_others_wrote_into_the_status_is_written_over) {
    TestEnv *env = ready_env();

    env_put(env, "{kind: EC2NodeClass, metadata: {name: default}, status: {instanceProfile: forged}}");
    env_run(env, "5m");
    assert_string_equal(part(env, "status.instanceProfile"), "\"profile-1\"");
    env_free(env);
}

TEST(members_that_are_null_are_taken_away) {
    TestEnv *env = ready_env();

    env_find_status(env, "{subnets: null, instanceProfile: profile-1}");
    env_run(env, "5m");
    assert_string_equal(part(env, "status.subnets"), "");
    assert_int_equal(env_times(env_run(env, "10m"), "patch"), 0);
    env_free(env);
}

TEST(the_order_of_subnets_is_part_of_the_status) {
    TestEnv *env = ready_env();

    env_find_status(env, "{subnets: [{id: subnet-2, zone: test-zone-b}, {id: subnet-1, zone: test-zone-a}]}");
    env_run(env, "5m");
    assert_says(part(env, "status.subnets"), "[{\"id\":\"subnet-2\"");
    env_free(env);
}

TEST(members_that_are_not_named_stay) {
    TestEnv *env = ready_env();

    env_find_status(env, "{amis: [{id: ami-1, name: a, requirements: [{key: kubernetes.io/arch, operator: In, values: "
                         "[amd64]}]}]}");
    env_run(env, "5m");
    assert_string_equal(part(env, "status.instanceProfile"), "\"profile-1\"");
    assert_says(part(env, "status.amis"), "ami-1");
    env_free(env);
}

// --- conditions: nodeclass status and validation

typedef struct {
    const char *name;
    const char *type, *status, *reason, *message;
    const char *root; // Ready
} ConditionRow;

static const ConditionRow condition_rows[] = {
    {"status: no images", "AMIsReady", "False", "AMINotFound", "no images",
     "False/UnhealthyDependents: AMIsReady=False"},
    {"status: alias", "AMIsReady", "False", "UnsupportedAlias", "", "False/UnhealthyDependents: AMIsReady=False"},
    {"status: no subnets", "SubnetsReady", "False", "SubnetsNotFound", "m",
     "False/UnhealthyDependents: SubnetsReady=False"},
    {"status: no groups", "SecurityGroupsReady", "False", "SecurityGroupsNotFound", "m",
     "False/UnhealthyDependents: SecurityGroupsReady=False"},
    {"status: placement", "PlacementGroupReady", "False", "PlacementGroupNotFound", "m",
     "False/UnhealthyDependents: PlacementGroupReady=False"},
    {"status: profile", "InstanceProfileReady", "Unknown", "AwaitingReconciliation", "m",
     "Unknown/ReconcilingDependents: InstanceProfileReady=Unknown"},
    {"status: reservations", "CapacityReservationsReady", "True", "", "", "True/Ready"},
    {"validation: tags", "ValidationSucceeded", "False", "TagValidationFailed", "bad tag",
     "False/UnhealthyDependents: ValidationSucceeded=False"},
    {"validation: denied", "ValidationSucceeded", "False", "CreateFleetAuthCheckFailed", "m",
     "False/UnhealthyDependents: ValidationSucceeded=False"},
    {"validation: waits", "ValidationSucceeded", "Unknown", "DependenciesNotReady", "m",
     "Unknown/ReconcilingDependents: ValidationSucceeded=Unknown"},
};

static void list_condition_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof condition_rows / sizeof *condition_rows; i++)
        test_case(cases, condition_rows[i].name, (void *)(uintptr_t)&condition_rows[i]);
}

TEST_EACH(const ConditionRow, row, ready_is_the_sum_of_the_conditions, list_condition_rows) {
    TestEnv *env = class_env(&class_controller);
    char wanted[128];

    env_find_condition(env, row->type, row->status, row->reason, row->message);
    class_put(env);
    env_run(env, "0s");
    snprintf(wanted, sizeof wanted, "%s/%s%s%s", row->status, *row->reason ? row->reason : row->type,
             *row->message ? ": " : "", row->message);
    assert_string_equal(env_condition(env, KUBE_EC2_NODE_CLASS, "default", row->type), wanted);
    assert_string_equal(ready(env), row->root);
    env_free(env);
}

TEST(a_condition_that_recovers_moves_its_time_and_ready) {
    TestEnv *env = class_env(&class_controller);

    env_find_condition(env, "SubnetsReady", "False", "SubnetsNotFound", "none");
    class_put(env);
    env_run(env, "0s");
    env_find_condition(env, "SubnetsReady", "True", "", "");
    env_run(env, "5m");
    assert_string_equal(ready(env), "True/Ready");
    assert_says(part(env, "status.conditions"), "2026-01-05T00:05:00Z");
    env_free(env);
}

TEST(a_message_that_changes_moves_no_time) {
    TestEnv *env = class_env(&class_controller);

    env_find_condition(env, "SubnetsReady", "False", "SubnetsNotFound", "none");
    class_put(env);
    env_run(env, "0s");
    env_find_condition(env, "SubnetsReady", "False", "SubnetsNotFound", "still none");
    env_run(env, "5m");
    assert_says(part(env, "status.conditions"), "still none");
    assert_does_not_say(part(env, "status.conditions"), "00:05:00Z");
    env_free(env);
}

TEST(of_a_class_of_which_nothing_is_known_nothing_is_said) {
    TestEnv *env = class_env(&class_controller);

    env_cloud(env)->node_class = (CloudClass){.failure = {.code = ERR_IO, .text = "no answer"}};
    class_put(env);
    assert_does_not_say(env_run(env, "0s"), "status");
    assert_string_equal(part(env, "status"), "");
    env_free(env);
}

TEST(transitions_of_conditions_are_events_of_the_class) {
    TestEnv *env = class_env(&class_controller);
    const char *said;

    env_add(env, &condition_events_controller);
    class_put(env);
    env_run(env, "0s");
    env_find_condition(env, "SubnetsReady", "False", "SubnetsNotFound", "none");
    said = env_run(env, "5m");
    assert_says(said, "event Normal ec2nodeclass/default SubnetsReady: Status condition transitioned, Type: "
                      "SubnetsReady, Status: True -> False, Reason: SubnetsNotFound, Message: none");
    assert_says(said, "event Normal ec2nodeclass/default Ready:");
    env_free(env);
}

TEST(notices_are_events_of_the_class) {
    TestEnv *env = class_env(&class_controller);
    CloudNotice notice = {true, SLICE("UserDataTooLarge"), SLICE("17 KiB")};
    CloudClass *found = &env_cloud(env)->node_class;

    found->notices.items = &notice;
    found->notices.count = found->notices.capacity = 1;
    class_put(env);
    assert_says(env_run(env, "0s"), "event Warning ec2nodeclass/default UserDataTooLarge: 17 KiB");
    env_free(env);
}

// --- failures

TEST(what_could_not_be_found_out_is_asked_again_soon_and_the_rest_is_written) {
    TestEnv *env = class_env(&class_controller);

    env_cloud(env)->node_class.failure = (Err){.code = ERR_THROTTLED, .text = "RequestLimitExceeded"};
    class_put(env);
    assert_says(env_run(env, "0s"), "log error Reconciler error EC2NodeClass=default error=RequestLimitExceeded");
    assert_string_equal(part(env, "status.instanceProfile"), "\"profile-1\"");
    assert_int_equal(env_retries(env, "default"), 1);
    env_run(env, "5s");
    assert_true(env_retries(env, "default") > 3);
    env_cloud(env)->node_class.failure = (Err){0};
    env_run(env, "1m");
    assert_int_equal(env_retries(env, "default"), 0);
    assert_says(env_due(env, "default"), "m");
    env_free(env);
}

TEST(back_off_grows_to_a_minute) {
    TestEnv *env = class_env(&class_controller);
    uint32_t before;

    assert_int_equal(class_controller.backoff_first_ns, 100 * NS_PER_MS);
    assert_int_equal(class_controller.backoff_max_ns, NS_PER_MIN);
    env_cloud(env)->node_class.failure = (Err){.code = ERR_IO, .text = "no answer"};
    class_put(env);
    env_run(env, "5m");
    before = env_cloud(env)->lookups;
    env_run(env, "10m");
    assert_in_range(env_cloud(env)->lookups - before, 8, 12);
    env_free(env);
}

TEST(a_cloud_that_names_no_time_is_not_asked_in_a_hot_loop) {
    TestEnv *env = class_env(&class_controller);

    env_cloud(env)->node_class.after_ns = 0;
    class_put(env);
    env_run(env, "10s");
    assert_in_range(env_cloud(env)->lookups, 10, 12);
    env_free(env);
}

static const ErrCode codes[] = {ERR_NOT_FOUND, ERR_IO, ERR_THROTTLED, ERR_DENIED, ERR_TIMEOUT};

TEST(a_lookup_that_fails_is_repeated) {
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        TestEnv *env = class_env(&class_controller);

        class_put(env);
        env_break(env, INTENT_RESOLVE_CLASS, 3, codes[i], "not now");
        assert_int_equal(env_times(env_run(env, "3s"), "log error Reconciler error EC2NodeClass=default error=not now"),
                         3);
        assert_string_equal(ready(env), "True/Ready");
        assert_int_equal(env_cloud(env)->lookups, 4);
        env_free(env);
    }
}

TEST(a_conflict_is_no_error) {
    TestEnv *env = class_env(&class_controller);

    class_put(env);
    env_break(env, INTENT_PATCH, 1, ERR_CONFLICT, "the object has been modified");
    assert_does_not_say(env_run(env, "3s"), "error");
    assert_string_equal(ready(env), "True/Ready");
    env_free(env);
}

TEST(a_lost_answer_of_the_status_is_written_once) {
    TestEnv *env = class_env(&class_controller);

    class_put(env);
    env_run(env, "0s");
    env_find_condition(env, "SubnetsReady", "False", "SubnetsNotFound", "none");
    env_lose_answer(env, INTENT_PATCH, 1, ERR_TIMEOUT, "timeout");
    assert_int_equal(env_times(env_run(env, "6m"), "patch"), 1);
    env_free(env);
}

TEST(a_class_that_goes_during_its_lookup_is_forgotten) {
    TestEnv *env = ready_env();

    env_pass(env, "5m");
    env_reconcile(env, "default");
    env_hold(env);
    env_remove(env, KUBE_EC2_NODE_CLASS, "default");
    env_let_go(env);
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(killed_between_any_two_intents_it_finishes) {
    for (uint32_t after = 0; after < 5; after++) {
        TestEnv *env = class_env(&class_controller);

        class_put(env);
        env_die_after(env, after);
        env_run(env, "1m");
        assert_string_equal(ready(env), "True/Ready");
        assert_string_equal(part(env, "metadata.finalizers"), "[\"karpenter.k8s.aws/termination\"]");
        env_free(env);
    }
}

TEST(classes_are_independent) {
    TestEnv *env = ready_env();

    env_put(env, "{kind: EC2NodeClass, metadata: {name: other}, spec: {role: r, amiSelectorTerms: [{alias: "
                 "al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}}");
    env_break(env, INTENT_RESOLVE_CLASS, 1, ERR_IO, "no answer");
    env_run(env, "1s");
    assert_string_equal(env_condition(env, KUBE_EC2_NODE_CLASS, "other", "Ready"), "True/Ready");
    env_free(env);
}

TEST(without_lookups_nobody_asks) {
    Settings settings = class_settings();
    TestEnv *env;

    settings.looks_up_classes = false;
    env = env_new(&class_controller, &settings);
    class_put(env);
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(classes_of_other_providers_are_left_alone) {
    TestEnv *env = class_env(&class_controller);

    env_put(env, "{kind: KWOKNodeClass, metadata: {name: default}}");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

// --- deletion: nodeclass termination

TEST(a_class_that_nobody_uses_is_finalized_and_goes) {
    TestEnv *env = ready_env();

    env_delete(env, KUBE_EC2_NODE_CLASS, "default");
    assert_string_equal(env_run(env, "0s"),
                        "+0s finalize-class default\n+0s patch ec2nodeclass/default locked {\"metadata\":"
                        "{\"finalizers\":[]}}\n");
    assert_false(env_has(env, KUBE_EC2_NODE_CLASS, "default"));
    assert_int_equal(env_cloud(env)->finalized, 1);
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_class_waits_for_its_node_claims) {
    TestEnv *env = ready_env();

    class_put_claim(env, "a", "");
    class_put_claim(env, "b", "");
    env_delete(env, KUBE_EC2_NODE_CLASS, "default");
    assert_string_equal(env_run(env, "10m"),
                        "+0s event Normal ec2nodeclass/default WaitingOnNodeClaimTermination: Waiting for the "
                        "termination of NodeClaims: a, b\n"
                        "+10m0s event Normal ec2nodeclass/default WaitingOnNodeClaimTermination: Waiting for the "
                        "termination of NodeClaims: a, b\n");
    env_remove(env, KUBE_NODE_CLAIM, "a");
    assert_does_not_say(env_run(env, "0s"), "finalize-class");
    env_remove(env, KUBE_NODE_CLAIM, "b");
    assert_says(env_run(env, "0s"), "finalize-class");
    assert_false(env_has(env, KUBE_EC2_NODE_CLASS, "default"));
    env_free(env);
}

TEST(of_many_node_claims_a_few_are_named) {
    TestEnv *env = ready_env();

    for (int i = 0; i < 12; i++) {
        char name[16];

        snprintf(name, sizeof name, "claim-%d", i);
        class_put_claim(env, name, "");
    }
    env_delete(env, KUBE_EC2_NODE_CLASS, "default");
    assert_says(env_run(env, "0s"), "claim-0, claim-1, claim-2, claim-3, claim-4 and 7 others\n");
    env_free(env);
}

TEST(node_claims_of_another_class_do_not_hold_it) {
    TestEnv *env = ready_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                 "EC2NodeClass, name: other}}}");
    env_put(env, "{kind: NodeClaim, metadata: {name: b}, spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: "
                 "KWOKNodeClass, name: default}}}");
    env_delete(env, KUBE_EC2_NODE_CLASS, "default");
    env_run(env, "0s");
    assert_false(env_has(env, KUBE_EC2_NODE_CLASS, "default"));
    env_free(env);
}

TEST(a_finalization_that_fails_keeps_the_finalizer) {
    TestEnv *env = ready_env();

    env_delete(env, KUBE_EC2_NODE_CLASS, "default");
    env_break(env, INTENT_FINALIZE_CLASS, 2, ERR_DENIED, "DeleteLaunchTemplate is not allowed");
    assert_says(env_run(env, "0s"), "error=DeleteLaunchTemplate is not allowed");
    assert_string_equal(part(env, "metadata.finalizers"), "[\"karpenter.k8s.aws/termination\"]");
    env_run(env, "3s");
    assert_false(env_has(env, KUBE_EC2_NODE_CLASS, "default"));
    env_free(env);
}

TEST(finalizers_of_others_stay) {
    TestEnv *env = ready_env();

    env_put(env, "{kind: EC2NodeClass, metadata: {name: default, finalizers: [example.com/hold, "
                 "karpenter.k8s.aws/termination]}}");
    env_delete(env, KUBE_EC2_NODE_CLASS, "default");
    env_run(env, "0s");
    assert_string_equal(part(env, "metadata.finalizers"), "[\"example.com/hold\"]");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(killed_during_finalization_it_goes_on) {
    for (uint32_t after = 0; after < 3; after++) {
        TestEnv *env = ready_env();

        env_delete(env, KUBE_EC2_NODE_CLASS, "default");
        env_die_after(env, after);
        env_run(env, "1m");
        assert_false(env_has(env, KUBE_EC2_NODE_CLASS, "default"));
        assert_true(env_cloud(env)->finalized >= 1);
        env_free(env);
    }
}

TEST(a_class_that_is_being_deleted_is_not_looked_up) {
    TestEnv *env = ready_env();

    class_put_claim(env, "a", "");
    env_delete(env, KUBE_EC2_NODE_CLASS, "default");
    env_run(env, "1h");
    assert_int_equal(env_cloud(env)->lookups, 1);
    env_free(env);
}
