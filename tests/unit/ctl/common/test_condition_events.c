// status: the event "Status condition transitioned" of reference lifecycle.md 7.2.
#include "ctl/common/condition_events.h"
#include "ctl/support/stage.h"

#define CLAIM(conditions) "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [" conditions "]}}"
#define CONDITION(type, status, reason, message)                                                                       \
    "{type: " type ", status: '" status "', reason: " reason ", message: '" message                                    \
    "', lastTransitionTime: '2026-01-05T00:00:00Z'}"

// The claim "a" that listens, with these conditions.
static Stage *events_stage(const char *claim) {
    Stage *stage = stage_new(&condition_events_controller, NULL);

    stage_put(stage, "%s", claim);
    assert_string_equal(stage_run(stage, "1m"), ""); // what is there is no change
    return stage;
}

TEST(a_change_of_a_status_is_told) {
    Stage *stage = events_stage(CLAIM(CONDITION("Registered", "Unknown", "NodeNotFound", "Node not registered")));

    stage_put_unseen(stage, CLAIM(CONDITION("Registered", "True", "Registered", "")));
    assert_string_equal(stage_run(stage, "0s"),
                        "+0s event Normal nodeclaim/a Registered: Status condition transitioned, "
                        "Type: Registered, Status: Unknown -> True, Reason: Registered\n");
    stage_put_unseen(stage, CLAIM(CONDITION("Registered", "False", "MultipleNodesFound", "two of them")));
    assert_string_equal(stage_run(stage, "0s"),
                        "+0s event Normal nodeclaim/a Registered: Status condition transitioned, "
                        "Type: Registered, Status: True -> False, Reason: MultipleNodesFound, "
                        "Message: two of them\n");
    stage_free(stage);
}

TEST(another_reason_is_no_transition) {
    Stage *stage = events_stage(CLAIM(CONDITION("Initialized", "Unknown", "NodeNotFound", "")));

    stage_put_unseen(stage, CLAIM(CONDITION("Initialized", "Unknown", "NodeNotReady", "not yet")));
    assert_string_equal(stage_run(stage, "1m"), "");
    stage_free(stage);
}

// Without a status those that Ready depends on, and Ready, are Unknown; others are nothing.
TEST(the_first_status_counts_from_unknown) {
    Stage *stage = events_stage("{kind: NodeClaim, metadata: {name: a}}");
    const char *history;

    stage_put_unseen(
        stage, CLAIM(CONDITION("Launched", "True", "Launched", "") ", " CONDITION("Ready", "Unknown", "x", "") ", " //
                     CONDITION("ConsistentStateFound", "True", "ConsistentStateFound", "")));
    history = stage_run(stage, "0s");
    assert_says(history, "Type: Launched, Status: Unknown -> True, Reason: Launched\n");
    assert_int_equal(stage_times(history, "event"), 1);
    stage_free(stage);
}

TEST(a_pool_tells_too) {
    Stage *stage = stage_new(&condition_events_controller, NULL);

    stage_put(stage, "{kind: NodePool, metadata: {name: p}}");
    stage_run(stage, "1m");
    stage_put_unseen(stage, "{kind: NodePool, metadata: {name: p}, status: {conditions: [" //
                     CONDITION("NodeClassReady", "False", "NodeClassNotFound", "NodeClass not found on cluster") "]}}");
    assert_string_equal(stage_run(stage, "0s"), "+0s event Normal nodepool/p NodeClassReady: Status condition "
                                                "transitioned, Type: NodeClassReady, Status: Unknown -> False, Reason: "
                                                "NodeClassNotFound, Message: NodeClass not found on cluster\n");
    stage_free(stage);
}
