// The controller of disruption: docs/design/ctl-disruption.md.
#include "ctl/disruption/disruption_env.h"

#define DECIDED "log info disrupting node(s)"

static const char *record_of(DisruptionEnv *env, const char *node) {
    return env_part(env->env, KUBE_NODE, node, "metadata.annotations.'tenon.sh/command'");
}

static const char *reason_of(DisruptionEnv *env, const char *claim) {
    return env_condition(env->env, KUBE_NODE_CLAIM, claim, "DisruptionReason");
}

static bool is_deleting(DisruptionEnv *env, const char *claim) {
    return *env_part(env->env, KUBE_NODE_CLAIM, claim, "metadata.deletionTimestamp");
}

static void assert_untouched(DisruptionEnv *env, const char *name) {
    assert_false(is_deleting(env, name));
    assert_false(is_tainted(env, name));
    assert_string_equal(record_of(env, name), "");
    assert_string_equal(reason_of(env, name), "");
}

// --- emptiness

TEST(an_empty_node_goes_after_fifteen_seconds) {
    DisruptionEnv *env = disruption_env_new("");

    put_pool_node(env, "a", "small", "on-demand");
    env_run(env->env, "14s");
    assert_untouched(env, "a");
    assert_says(env_run(env->env, "2s"), DECIDED);
    assert_true(is_tainted(env, "a"));
    assert_says(record_of(env, "a"), "/candidate/awaits-0");
    assert_string_equal(reason_of(env, "a"), "True/Empty: Empty");
    assert_true(is_deleting(env, "a"));
    assert_int_equal(env->proofs, 1);
    disruption_env_free(env);
}

TEST(a_node_that_gets_a_pod_meanwhile_stays) {
    DisruptionEnv *env = disruption_env_new("");
    const char *said;

    put_pool_node(env, "a", "small", "on-demand");
    env_run(env->env, "5s");
    put_bound_pod(env, "p", "a", "1");
    said = env_run(env->env, "15s");
    assert_says(said, "log debug abandoning disruption command");
    assert_does_not_say(said, DECIDED);
    assert_untouched(env, "a");
    disruption_env_free(env);
}

TEST(a_pod_between_proof_and_taint_saves_the_node) {
    DisruptionEnv *env = disruption_env_new("");

    put_pool_node(env, "a", "small", "on-demand");
    env_run(env->env, "0s");
    env_pass(env->env, "15s");
    env_reconcile(env->env, ""); // asks for the proof
    env_carry_out(env->env);     // and taints
    put_bound_pod(env, "p", "a", "1");
    assert_says(env_run(env->env, "1s"), "a pod came to a node that was empty");
    assert_untouched(env, "a");
    disruption_env_free(env);
}

TEST(empty_nodes_go_one_by_one) {
    DisruptionEnv *env = disruption_env_new("budgets: [{nodes: '100%'}]");

    put_pool_node(env, "a", "small", "on-demand");
    put_pool_node(env, "b", "small", "on-demand");
    put_pool_node(env, "c", "small", "on-demand");
    env_run(env->env, "1s");
    put_bound_pod(env, "p", "b", "1");
    env_run(env->env, "20s");
    assert_true(is_deleting(env, "a"));
    assert_untouched(env, "b");
    assert_true(is_deleting(env, "c"));
    disruption_env_free(env);
}

TEST(a_budget_lets_them_go_after_each_other) {
    DisruptionEnv *env = disruption_env_new("budgets: [{nodes: '1'}]");
    uint32_t deleting;

    put_pool_node(env, "a", "small", "on-demand");
    put_pool_node(env, "b", "small", "on-demand");
    env_run(env->env, "5m");
    deleting = is_deleting(env, "a") + is_deleting(env, "b");
    assert_int_equal(deleting, 1); // the first one is still there: nobody terminates it here
    disruption_env_free(env);
}

// --- drift

static DisruptionEnv *with_drifted_node(void) {
    DisruptionEnv *env = disruption_env_new("");

    put_pool_node(env, "a", "small", "on-demand");
    put_bound_pod(env, "p", "a", "1500m");
    env_put(env->env, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [Launched, Registered, Initialized, "
                      "Consolidatable, Drifted]}}");
    return env;
}

TEST(a_drifted_node_goes_when_its_replacement_is_ready) {
    DisruptionEnv *env = with_drifted_node();
    const char *said = env_run(env->env, "1s"), *replacement = replacement_name(env);

    assert_says(said, DECIDED);
    assert_non_null(replacement);
    assert_true(is_tainted(env, "a"));
    assert_says(record_of(env, "a"), "/candidate/awaits-1");
    assert_string_equal(reason_of(env, "a"), "True/Drifted: Drifted");
    said = env_run(env->env, "5m");
    assert_says(said, "DisruptionWaitingReadiness: Waiting on readiness to continue disruption");
    assert_false(is_deleting(env, "a"));
    let_join(env, replacement, "small", "on-demand");
    said = env_run(env->env, "1s");
    assert_says(said, "DisruptionTerminating: Disrupting Node: Drifted");
    assert_says(said, "log debug command succeeded command-id=");
    assert_true(is_deleting(env, "a"));
    env_run(env->env, "1s");
    assert_null(replacement_name(env)); // its record was taken off
    disruption_env_free(env);
}

TEST(looks_and_proofs_go_on_while_a_command_waits) {
    DisruptionEnv *env = with_drifted_node();

    env_put(env->env, "{kind: NodePool, metadata: {name: default}, spec: {disruption: {budgets: [{nodes: '100%%'}]}}}");
    put_pool_node(env, "empty", "small", "on-demand"); // found in the look that starts the drift
    env_run(env->env, "1s");
    assert_non_null(replacement_name(env));
    env_run(env->env, "16s");
    assert_true(is_deleting(env, "empty"));
    assert_false(is_deleting(env, "a")); // it waits still
    put_pool_node(env, "later", "small", "on-demand");
    env_run(env->env, "30s");
    assert_true(is_deleting(env, "later"));
    disruption_env_free(env);
}

TEST(a_pool_at_its_limit_drifts_and_one_beyond_it_does_not) {
    DisruptionEnv *env = with_drifted_node();

    env_put(env->env, "{kind: NodePool, metadata: {name: default}, spec: {limits: {nodes: '1'}}}");
    env_reconcile(env->env, ""); // asks for a look
    env_hold(env->env);          // it finds a replacement
    put_pool_node(env, "b", "small", "on-demand");
    env_let_go(env->env);
    assert_untouched(env, "a");
    env_remove(env->env, KUBE_NODE_CLAIM, "b");
    env_remove(env->env, KUBE_NODE, "b");
    env_tell(env->env);
    assert_says(env_run(env->env, "20s"), DECIDED);
    assert_true(is_tainted(env, "a"));
    disruption_env_free(env);
}

// It may become larger than what its pods request.
TEST(a_pool_with_a_limit_drifts_when_its_other_claims_are_launched) {
    DisruptionEnv *env = with_drifted_node();

    env_put(env->env, "{kind: NodePool, metadata: {name: default}, spec: {limits: {cpu: '100'}}}");
    env_reconcile(env->env, ""); // asks for a look
    env_hold(env->env);          // it finds a replacement
    env_put(env->env, "{kind: NodeClaim, metadata: {name: new, labels: {karpenter.sh/nodepool: default}}}");
    env_let_go(env->env);
    assert_untouched(env, "a");
    env_remove(env->env, KUBE_NODE_CLAIM, "new");
    env_tell(env->env);
    assert_says(env_run(env->env, "20s"), DECIDED);
    assert_true(is_tainted(env, "a"));
    disruption_env_free(env);
}

// Looks for a replacement while this process orders a claim that may become one of so many CPUs.
static void find_beside_order(DisruptionEnv *env, int64_t cpus) {
    Arena arena = {0};
    Resources most = {0};
    uint32_t order;

    resources_set(&arena, &most, NAME_CPU, cpus * 1000);
    env_put(env->env, "{kind: NodePool, metadata: {name: default}, spec: {limits: {cpu: '100'}}}");
    env_reconcile(env->env, "");
    env_hold(env->env);
    order = state_order(env_state(env->env), env_symbol(env->env, "default"), &most);
    env_put(env->env, "{kind: NodeClaim, metadata: {name: new, labels: {karpenter.sh/nodepool: default}}}");
    state_order_made(env_state(env->env), order, env_symbol(env->env, "new"));
    env_let_go(env->env);
    arena_free(&arena);
}

// It is known what a claim of this process may become, launched or not.
TEST(a_pool_with_a_limit_drifts_beside_claims_on_order_that_leave_room) {
    DisruptionEnv *env = with_drifted_node();

    find_beside_order(env, 90);
    assert_true(is_tainted(env, "a"));
    disruption_env_free(env);
    env = with_drifted_node();
    find_beside_order(env, 99);
    assert_untouched(env, "a");
    disruption_env_free(env);
}

// A process died between the writes that took its command back: the Node is clean, the claim is not yet. What a command
// would write there would be taken off with the rest.
TEST(a_node_whose_claim_is_still_being_cleaned_is_in_no_command) {
    DisruptionEnv *env = with_drifted_node();

    env_reconcile(env->env, ""); // asks for a look
    env_hold(env->env);
    env_put(env->env, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [Launched, Registered, Initialized, "
                      "Consolidatable, Drifted, DisruptionReason=True/Drifted]}}");
    env_let_go(env->env);
    assert_false(is_tainted(env, "a"));
    assert_says(env_run(env->env, "30s"), DECIDED); // once it is clean
    assert_true(is_tainted(env, "a"));
    assert_string_equal(reason_of(env, "a"), "True/Drifted: Drifted");
    disruption_env_free(env);
}

TEST(the_provisioner_sees_the_pods_only_with_their_replacement) {
    DisruptionEnv *env = with_drifted_node();
    Handle claim;

    env_run(env->env, "1s");
    claim = env_find(env->env, KUBE_NODE_CLAIM, "a");
    assert_true(state_claim_is_deleting(env_state(env->env), claim));
    assert_non_null(replacement_name(env));
    disruption_env_free(env);
}

TEST(a_replacement_that_is_deleted_ends_the_command) {
    DisruptionEnv *env = with_drifted_node();
    const char *replacement;

    env_run(env->env, "1s");
    replacement = replacement_name(env);
    env_remove(env->env, KUBE_NODE_CLAIM, replacement);
    env_tell(env->env);
    env_put(env->env, "{kind: NodePool, metadata: {name: default}, spec: {disruption: {budgets: [{nodes: '0'}]}}}");
    assert_says(env_run(env->env, "1s"), "error=replacement was deleted");
    assert_untouched(env, "a");
    assert_false(state_claim_is_deleting(env_state(env->env), env_find(env->env, KUBE_NODE_CLAIM, "a")));
    disruption_env_free(env);
}

TEST(a_command_that_waits_for_too_long_is_taken_back) {
    DisruptionEnv *env = with_drifted_node();
    const char *replacement;

    env_run(env->env, "1s");
    replacement = replacement_name(env);
    env_put(env->env, "{kind: NodePool, metadata: {name: default}, spec: {disruption: {budgets: [{nodes: '0'}]}}}");
    env_run(env->env, "9m");
    assert_true(is_tainted(env, "a"));
    assert_says(env_run(env->env, "2m"), "error=command reached timeout");
    assert_untouched(env, "a");
    assert_true(!env_has(env->env, KUBE_NODE_CLAIM, replacement) || is_deleting(env, replacement));
    disruption_env_free(env);
}

TEST(a_create_that_fails_takes_the_taint_back) {
    DisruptionEnv *env = with_drifted_node();

    env_break(env->env, INTENT_CREATE, 1, ERR_INVALID, "no more room");
    assert_says(env_run(env->env, "2s"), "error=marking disrupted, no more room");
    assert_untouched(env, "a");
    disruption_env_free(env);
}

TEST(a_taint_that_meets_a_conflict_changes_nothing_and_is_tried_again) {
    DisruptionEnv *env = with_drifted_node();
    const char *history;

    env_break(env->env, INTENT_PATCH, 1, ERR_CONFLICT, "the object has been modified");
    history = env_run(env->env, "2s");
    assert_says(history, "reason=marking disrupted, the object has been modified");
    assert_does_not_say(history, "log error");
    assert_untouched(env, "a");
    env_run(env->env, "20s");
    assert_true(is_tainted(env, "a"));
    disruption_env_free(env);
}

// --- consolidation

static void check_dearer_launch(bool dies) {
    DisruptionEnv *env = disruption_env_new("");
    const char *replacement;

    put_pool_node(env, "a", "large", "spot"); // $0.24
    env_put(env->env, "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.sh/capacity-type: on-demand}}}");
    env_put(env->env, "{kind: Node, metadata: {name: a, labels: {karpenter.sh/capacity-type: on-demand}}}"); // $0.4
    put_bound_pod(env, "p", "a", "1");
    assert_says(env_run(env->env, "16s"), DECIDED);
    replacement = replacement_name(env);
    assert_non_null(replacement);
    env_put(env->env, "{kind: NodePool, metadata: {name: default}, spec: {disruption: {budgets: [{nodes: '0'}]}}}");
    if (dies)
        disruption_env_restart(env);
    for (vec_each(InstanceType, type, env->types)) {
        for (vec_each(Offering, offering, &type->offerings))
            offering->price_per_hour +=
                strcmp(symbol_text(state_symbols(env_state(env->env)), type->name).ptr, "small") ? 0 : 1;
    }
    let_join(env, replacement, "small", "spot");
    assert_says(env_run(env->env, "1s"), "what was launched is dearer than what it replaces");
    env_run(env->env, "1s");
    assert_untouched(env, "a");
    disruption_env_free(env);
}

TEST(a_launch_that_is_dearer_than_what_it_replaces_is_not_used) {
    check_dearer_launch(false);
}

TEST(a_launch_is_compared_after_a_death_too) {
    check_dearer_launch(true);
}

TEST(a_round_of_consolidation_ends_before_the_next_begins) {
    DisruptionEnv *env = disruption_env_new("budgets: [{nodes: '100%'}]");

    put_pool_node(env, "a", "large", "on-demand");
    put_bound_pod(env, "p", "a", "1");
    env_run(env->env, "1s");
    assert_int_equal(env->looks, 1);
    put_pool_node(env, "b", "large", "on-demand");
    put_bound_pod(env, "q", "b", "5");
    assert_int_equal(env_times(env_run(env->env, "13s"), "found disruption command"), 0);
    disruption_env_free(env);
}

// --- what is left over

TEST(what_karpenter_left_is_taken_off) {
    DisruptionEnv *env = disruption_env_new("consolidateAfter: Never");

    put_pool_node(env, "a", "small", "on-demand");
    env_put(env->env,
            "{kind: Node, metadata: {name: a}, spec: {taints: [{key: karpenter.sh/disrupted, effect: NoSchedule},"
            " {key: mine, effect: NoSchedule}]}}");
    env_put(env->env, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [Launched, Registered, Initialized, "
                      "DisruptionReason=True/Drifted]}}");
    env_run(env->env, "1s");
    assert_untouched(env, "a");
    assert_says(env_part(env->env, KUBE_NODE, "a", "spec.taints"), "mine");
    disruption_env_free(env);
}

// Whoever chose it now would mark it while the former marks are being taken off.
TEST(a_node_is_chosen_again_when_nothing_of_a_former_command_is_left_on_it) {
    DisruptionEnv *env = with_drifted_node();

    env_put(env->env,
            "{kind: Node, metadata: {name: a, annotations: {tenon.sh/command: former/candidate/awaits-1}}, spec: "
            "{taints: [{key: karpenter.sh/disrupted, effect: NoSchedule}]}}");
    env_break(env->env, INTENT_PATCH, 1, ERR_TIMEOUT, "no answer");
    assert_does_not_say(env_run(env->env, "1ms"), DECIDED);
    assert_says(record_of(env, "a"), "former");
    assert_says(env_run(env->env, "30s"), DECIDED);
    assert_does_not_say(record_of(env, "a"), "former");
    assert_true(is_tainted(env, "a"));
    disruption_env_free(env);
}

TEST(a_node_that_is_going_keeps_its_taint) {
    DisruptionEnv *env = disruption_env_new("");

    put_pool_node(env, "a", "small", "on-demand");
    env_run(env->env, "20s");
    assert_true(is_deleting(env, "a"));
    env_run(env->env, "5m");
    assert_true(is_tainted(env, "a"));
    disruption_env_free(env);
}

// --- death

TEST(a_command_with_its_replacement_goes_on_after_a_death) {
    DisruptionEnv *env = with_drifted_node();
    const char *replacement;

    env_run(env->env, "1s");
    replacement = replacement_name(env);
    disruption_env_restart(env);
    env_run(env->env, "1s");
    assert_true(is_tainted(env, "a"));
    assert_true(state_claim_is_deleting(env_state(env->env), env_find(env->env, KUBE_NODE_CLAIM, "a")));
    let_join(env, replacement, "small", "on-demand");
    env_run(env->env, "1s");
    assert_true(is_deleting(env, "a"));
    assert_int_equal(env_count(env->env, KUBE_NODE_CLAIM), 2);
    disruption_env_free(env);
}

// How large they become is recorded nowhere.
TEST(after_a_death_a_pool_with_a_limit_drifts_when_former_replacements_are_launched) {
    DisruptionEnv *env = with_drifted_node();
    const char *replacement;

    env_put(env->env, "{kind: NodePool, metadata: {name: default}, spec: {limits: {cpu: '100'}, disruption: {budgets: "
                      "[{nodes: '100%%'}]}}}");
    env_run(env->env, "1s");
    replacement = replacement_name(env);
    put_pool_node(env, "b", "small", "on-demand");
    put_bound_pod(env, "q", "b", "1500m");
    env_put(env->env, "{kind: NodeClaim, metadata: {name: b}, status: {conditions: [Launched, Registered, Initialized, "
                      "Consolidatable, Drifted]}}");
    disruption_env_restart(env);
    env_run(env->env, "1m");
    assert_untouched(env, "b");
    let_join(env, replacement, "small", "on-demand");
    env_run(env->env, "20s");
    assert_true(is_tainted(env, "b"));
    disruption_env_free(env);
}

TEST(killed_between_any_two_intents_it_ends_with_one_replacement) {
    for (uint32_t lives = 0; lives < 8; lives++) {
        DisruptionEnv *env = with_drifted_node();
        const char *replacement;

        env_die_after(env->env, lives);
        env_run(env->env, "1s");
        make_types_again(env);
        env_run(env->env, "1m");
        replacement = replacement_name(env);
        assert_non_null(replacement);
        let_join(env, replacement, "small", "on-demand");
        env_run(env->env, "1m");
        assert_true(is_deleting(env, "a"));
        assert_int_equal(env_count(env->env, KUBE_NODE_CLAIM), 2);
        disruption_env_free(env);
    }
}

// --- the fleet search

static const char *paid_back_at(DisruptionEnv *env, const char *claim) {
    return env_part(env->env, KUBE_NODE_CLAIM, claim, "metadata.annotations.'tenon.sh/paid-back-at'");
}

TEST(a_replacement_says_when_the_move_has_paid_back) {
    DisruptionEnv *env = disruption_env_new_with("", CONSOLIDATION_FLEET);
    const char *replacement;

    put_pool_node(env, "a", "large", "on-demand");
    put_bound_pod(env, "p", "a", "1500m");
    assert_says(env_run(env->env, "16s"), DECIDED);
    replacement = replacement_name(env);
    assert_non_null(replacement);
    assert_says(paid_back_at(env, replacement), "2026-01-05T0");
    disruption_env_free(env);
}
