// Status conditions: each rule of reference lifecycle.md 0.3.
#include "ctl/common/conditions.h"
#include "harness/test.h"

#include "text/json.h"

// A claim created at 100 s and what is done to it at 200 s.
typedef struct {
    Arena arena;
    Symbols symbols;
    Turn turn;
    ObjectMeta meta;
    ConditionVec stored;
    Conditions conditions;
} Fixture;

static Fixture *begin(void) {
    Arena arena = {0};
    Fixture *fixture = arena_new(&arena, Fixture);

    fixture->arena = arena;
    names_init(&fixture->symbols);
    fixture->turn = (Turn){.arena = &fixture->arena, .symbols = &fixture->symbols, .wall_ns = 200 * NS_PER_S + 5};
    fixture->meta = (ObjectMeta){.created_ns = 100 * NS_PER_S, .generation = 1};
    return fixture;
}

static void end(Fixture *fixture) {
    Arena arena = fixture->arena;

    symbols_free(&fixture->symbols);
    arena_free(&arena);
}

FIXTURE(Fixture, begin, end);

static void open_rules(Fixture *fixture, const ConditionRules *rules) {
    fixture->conditions = conditions_open(&fixture->turn, rules, &fixture->meta, &fixture->stored);
}

// As if the list had been stored and read again at that time.
static void store(Fixture *fixture, int64_t now_s) {
    fixture->stored = fixture->conditions.list;
    fixture->turn.wall_ns = now_s * NS_PER_S;
    open_rules(fixture, fixture->conditions.rules);
}

// "Launched=True/Launched@100 …": with the second of the transition.
static const char *print(Fixture *fixture) {
    Buffer buffer = {0};
    const char *text;

    for (vec_each(Condition, condition, &fixture->conditions.list))
        buffer_printf(&buffer, "%s%.*s=%.*s/%.*s@%d", buffer.len ? " " : "",
                      SLICE_ARG(symbol_text(&fixture->symbols, condition->type)),
                      SLICE_ARG(symbol_text(&fixture->symbols, condition->status)),
                      SLICE_ARG(symbol_text(&fixture->symbols, condition->reason)),
                      (int)(condition->transition_ns / NS_PER_S));
    text = arena_text(&fixture->arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}

static const char *message(Fixture *fixture, const char *type) {
    return arena_text(&fixture->arena, conditions_get(&fixture->conditions, type)->message);
}

TEST_F(Fixture, fixture, missing_conditions_are_unknown_since_the_creation) {
    open_rules(fixture, &claim_condition_rules);
    assert_string_equal(print(fixture),
                        "Launched=Unknown/AwaitingReconciliation@100 Registered=Unknown/AwaitingReconciliation@100 "
                        "Initialized=Unknown/AwaitingReconciliation@100 Ready=Unknown/AwaitingReconciliation@100");
    assert_string_equal(message(fixture, "Ready"), "object is awaiting reconciliation");
    assert_true(fixture->conditions.changed);
    store(fixture, 300);
    assert_false(fixture->conditions.changed);
}

TEST_F(Fixture, fixture, pools_depend_on_validation_and_class) {
    open_rules(fixture, &pool_condition_rules);
    assert_string_equal(print(fixture), "ValidationSucceeded=Unknown/AwaitingReconciliation@100 "
                                        "NodeClassReady=Unknown/AwaitingReconciliation@100 "
                                        "Ready=Unknown/AwaitingReconciliation@100");
}

TEST_F(Fixture, fixture, an_independent_condition_begins_now) {
    open_rules(fixture, &pool_condition_rules);
    assert_true(conditions_set_true(&fixture->conditions, "NodeRegistrationHealthy"));
    assert_int_equal(conditions_get(&fixture->conditions, "NodeRegistrationHealthy")->transition_ns, 200 * NS_PER_S);
    assert_true(conditions_is_unknown(&fixture->conditions, "Ready"));
}

TEST_F(Fixture, fixture, true_without_a_reason_has_its_type_as_reason) {
    open_rules(fixture, &claim_condition_rules);
    conditions_set_true(&fixture->conditions, "Launched");
    assert_string_equal(message(fixture, "Launched"), "");
    assert_non_null(strstr(print(fixture), "Launched=True/Launched@200"));
    conditions_set_true_because(&fixture->conditions, "Drifted", "NodePoolDrifted", SLICE("text"));
    assert_non_null(strstr(print(fixture), "Drifted=True/NodePoolDrifted@200"));
}

TEST_F(Fixture, fixture, the_time_moves_with_the_status_only) {
    open_rules(fixture, &claim_condition_rules);
    assert_true(conditions_set_unknown(&fixture->conditions, "Launched", "LaunchFailed", SLICE("a")));
    assert_int_equal(conditions_get(&fixture->conditions, "Launched")->transition_ns, 100 * NS_PER_S);
    assert_true(conditions_set_unknown(&fixture->conditions, "Launched", "LaunchFailed", SLICE("b")));
    assert_false(conditions_set_unknown(&fixture->conditions, "Launched", "LaunchFailed", SLICE("b")));
    assert_true(conditions_set_false(&fixture->conditions, "Launched", "LaunchFailed", SLICE("b")));
    assert_int_equal(conditions_get(&fixture->conditions, "Launched")->transition_ns, 200 * NS_PER_S);
}

TEST_F(Fixture, fixture, every_set_observes_the_generation) {
    open_rules(fixture, &pool_condition_rules);
    conditions_set_true(&fixture->conditions, "NodeClassReady");
    fixture->meta.generation = 2;
    store(fixture, 300);
    assert_true(conditions_set_true(&fixture->conditions, "NodeClassReady"));
    assert_int_equal(conditions_get(&fixture->conditions, "NodeClassReady")->observed_generation, 2);
    assert_int_equal(conditions_get(&fixture->conditions, "NodeClassReady")->transition_ns, 200 * NS_PER_S);
    assert_int_equal(conditions_get(&fixture->conditions, "ValidationSucceeded")->observed_generation, 1);
}

TEST_F(Fixture, fixture, while_deleting_every_set_observes_for_all) {
    open_rules(fixture, &claim_condition_rules);
    store(fixture, 300);
    fixture->meta.generation = 2;
    fixture->meta.deleting = true;
    conditions_set_true(&fixture->conditions, "InstanceTerminating");
    for (vec_each(Condition, condition, &fixture->conditions.list))
        assert_int_equal(condition->observed_generation, 2);
}

TEST_F(Fixture, fixture, ready_is_true_when_all_dependents_are) {
    open_rules(fixture, &claim_condition_rules);
    conditions_set_true(&fixture->conditions, "Launched");
    conditions_set_true(&fixture->conditions, "Registered");
    assert_true(conditions_is_unknown(&fixture->conditions, "Ready"));
    conditions_set_true(&fixture->conditions, "Initialized");
    assert_true(conditions_is_true(&fixture->conditions, "Ready"));
    assert_string_equal(message(fixture, "Ready"), "");
}

TEST_F(Fixture, fixture, ready_is_unknown_while_dependents_are) {
    open_rules(fixture, &claim_condition_rules);
    conditions_set_true(&fixture->conditions, "Launched");
    assert_non_null(strstr(print(fixture), "Ready=Unknown/ReconcilingDependents"));
    assert_string_equal(message(fixture, "Ready"), "Registered=Unknown, Initialized=Unknown");
}

TEST_F(Fixture, fixture, ready_is_false_when_a_dependent_is) {
    open_rules(fixture, &claim_condition_rules);
    conditions_set_false(&fixture->conditions, "Registered", "MultipleNodesFound", SLICE("two"));
    assert_true(conditions_is_false(&fixture->conditions, "Ready"));
    assert_non_null(strstr(print(fixture), "Ready=False/UnhealthyDependents@200"));
    assert_string_equal(message(fixture, "Ready"), "Registered=False, Launched=Unknown, Initialized=Unknown");
}

// After a change of the spec, conditions of the old generation count as unknown.
TEST_F(Fixture, fixture, ready_does_not_trust_older_generations) {
    open_rules(fixture, &pool_condition_rules);
    conditions_set_true(&fixture->conditions, "ValidationSucceeded");
    conditions_set_false(&fixture->conditions, "NodeClassReady", "NodeClassNotFound", SLICE("x"));
    fixture->meta.generation = 2;
    store(fixture, 300);
    conditions_set_true(&fixture->conditions, "NodeRegistrationHealthy");
    assert_non_null(strstr(print(fixture), "Ready=Unknown/ReconcilingDependents@300"));
    assert_non_null(strstr(message(fixture, "Ready"), "ValidationSucceeded=True"));
}

TEST_F(Fixture, fixture, independent_conditions_do_not_touch_ready) {
    open_rules(fixture, &claim_condition_rules);
    conditions_set_true(&fixture->conditions, "Launched");
    conditions_set_true(&fixture->conditions, "Registered");
    conditions_set_true(&fixture->conditions, "Initialized");
    conditions_set_false(&fixture->conditions, "ConsistentStateFound", "ConsistencyCheckFailed", SLICE("x"));
    assert_true(conditions_is_true(&fixture->conditions, "Ready"));
}

TEST_F(Fixture, fixture, the_order_is_by_time_and_ready_is_last) {
    open_rules(fixture, &claim_condition_rules);
    conditions_set_true(&fixture->conditions, "Launched");
    store(fixture, 300);
    conditions_set_true(&fixture->conditions, "Registered");
    store(fixture, 400);
    conditions_set_true(&fixture->conditions, "Drifted");
    assert_string_equal(print(fixture), "Initialized=Unknown/AwaitingReconciliation@100 Launched=True/Launched@200 "
                                        "Registered=True/Registered@300 Drifted=True/Drifted@400 "
                                        "Ready=Unknown/ReconcilingDependents@100");
}

TEST_F(Fixture, fixture, clearing_leaves_the_others_by_name) {
    open_rules(fixture, &claim_condition_rules);
    conditions_set_true(&fixture->conditions, "Drifted");
    conditions_set_true(&fixture->conditions, "Consolidatable");
    store(fixture, 300);
    assert_false(conditions_clear(&fixture->conditions, "DisruptionReason"));
    assert_false(fixture->conditions.changed);
    assert_true(conditions_clear(&fixture->conditions, "Drifted"));
    assert_true(fixture->conditions.changed);
    assert_string_equal(print(fixture),
                        "Consolidatable=True/Consolidatable@200 Initialized=Unknown/AwaitingReconciliation@100 "
                        "Launched=Unknown/AwaitingReconciliation@100 Ready=Unknown/ReconcilingDependents@100 "
                        "Registered=Unknown/AwaitingReconciliation@100");
}

TEST_F(Fixture, fixture, an_absent_condition_is_unknown_and_nothing_else) {
    open_rules(fixture, &claim_condition_rules);
    assert_null(conditions_get(&fixture->conditions, "Drained"));
    assert_true(conditions_is_unknown(&fixture->conditions, "Drained"));
    assert_false(conditions_is_true(&fixture->conditions, "Drained"));
    assert_false(conditions_is_false(&fixture->conditions, "Drained"));
}

TEST_F(Fixture, fixture, the_stored_list_is_left_alone) {
    open_rules(fixture, &claim_condition_rules);
    store(fixture, 300);
    conditions_set_true(&fixture->conditions, "Launched");
    assert_string_equal(arena_text(&fixture->arena, symbol_text(&fixture->symbols, fixture->stored.items[0].status)),
                        "Unknown");
}

TEST_F(Fixture, fixture, the_patch_has_the_full_list) {
    Buffer buffer = {0};

    open_rules(fixture, &pool_condition_rules);
    conditions_set_true(&fixture->conditions, "ValidationSucceeded");
    conditions_set_false(&fixture->conditions, "NodeClassReady", "NotFound", SLICE("gone"));
    json_print(&buffer, conditions_patch(&fixture->conditions), false);
    assert_string_equal(
        arena_text(&fixture->arena, buffer_slice(&buffer)),
        "{\"status\":{\"conditions\":["
        "{\"lastTransitionTime\":\"1970-01-01T00:03:20Z\",\"message\":\"\",\"observedGeneration\":1,"
        "\"reason\":\"ValidationSucceeded\",\"status\":\"True\",\"type\":\"ValidationSucceeded\"},"
        "{\"lastTransitionTime\":\"1970-01-01T00:03:20Z\",\"message\":\"gone\",\"observedGeneration\":1,"
        "\"reason\":\"NotFound\",\"status\":\"False\",\"type\":\"NodeClassReady\"},"
        "{\"lastTransitionTime\":\"1970-01-01T00:03:20Z\",\"message\":\"NodeClassReady=False\","
        "\"observedGeneration\":1,\"reason\":\"UnhealthyDependents\",\"status\":\"False\",\"type\":\"Ready\"}]}}");
    buffer_free(&buffer);
}
