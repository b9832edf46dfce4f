// status: the event "Status condition transitioned" of reference lifecycle.md 7.2.
#include "ctl/common/condition_events.h"
#include "ctl/support/env.h"

#define CLAIM(conditions) "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [" conditions "]}}"
#define CONDITION(type, status, reason, message)                                                                       \
    "{type: " type ", status: '" status "', reason: " reason ", message: '" message                                    \
    "', lastTransitionTime: '2026-01-05T00:00:00Z'}"

// An environment with the claim "a" with these conditions.
static TestEnv *events_env(const char *claim) {
    TestEnv *env = env_new(&condition_events_controller, NULL);

    env_put(env, "%s", claim);
    assert_string_equal(env_run(env, "1m"), ""); // existing conditions are no transitions
    return env;
}

TEST(a_change_of_a_status_is_told) {
    TestEnv *env = events_env(CLAIM(CONDITION("Registered", "Unknown", "NodeNotFound", "Node not registered")));

    env_put_unseen(env, CLAIM(CONDITION("Registered", "True", "Registered", "")));
    assert_string_equal(env_run(env, "0s"), "+0s event Normal nodeclaim/a Registered: Status condition transitioned, "
                                            "Type: Registered, Status: Unknown -> True, Reason: Registered\n");
    env_put_unseen(env, CLAIM(CONDITION("Registered", "False", "MultipleNodesFound", "two of them")));
    assert_string_equal(env_run(env, "0s"), "+0s event Normal nodeclaim/a Registered: Status condition transitioned, "
                                            "Type: Registered, Status: True -> False, Reason: MultipleNodesFound, "
                                            "Message: two of them\n");
    env_free(env);
}

TEST(another_reason_is_no_transition) {
    TestEnv *env = events_env(CLAIM(CONDITION("Initialized", "Unknown", "NodeNotFound", "")));

    env_put_unseen(env, CLAIM(CONDITION("Initialized", "Unknown", "NodeNotReady", "not yet")));
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}

// Without a status, Ready and the conditions that it depends on are Unknown, and others do not exist.
TEST(the_first_status_counts_from_unknown) {
    TestEnv *env = events_env("{kind: NodeClaim, metadata: {name: a}}");
    const char *history;

    env_put_unseen(
        env, CLAIM(CONDITION("Launched", "True", "Launched", "") ", " CONDITION("Ready", "Unknown", "x", "") ", " //
                   CONDITION("ConsistentStateFound", "True", "ConsistentStateFound", "")));
    history = env_run(env, "0s");
    assert_says(history, "Type: Launched, Status: Unknown -> True, Reason: Launched\n");
    assert_int_equal(env_times(history, "event"), 1);
    env_free(env);
}

TEST(conditions_of_pools_are_reported_too) {
    TestEnv *env = env_new(&condition_events_controller, NULL);

    env_put(env, "{kind: NodePool, metadata: {name: p}}");
    env_run(env, "1m");
    env_put_unseen(env, "{kind: NodePool, metadata: {name: p}, status: {conditions: [" //
                   CONDITION("NodeClassReady", "False", "NodeClassNotFound", "NodeClass not found on cluster") "]}}");
    assert_string_equal(env_run(env, "0s"), "+0s event Normal nodepool/p NodeClassReady: Status condition "
                                            "transitioned, Type: NodeClassReady, Status: Unknown -> False, Reason: "
                                            "NodeClassNotFound, Message: NodeClass not found on cluster\n");
    env_free(env);
}
