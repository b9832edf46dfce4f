// nodeclaim.lifecycle: instances that end before their Nodes register. Users' R083 (an instance that EC2 ends at its
// start, because a key may not be used).
#include "base/time.h"
#include "ctl/claim/early_end.h"
#include "ctl/claim/interruption.h"
#include "ctl/support/claim_env.h"

#define WHY "instance i-1 has ended: the key may not be used"

// The next looks find that the instance has ended.
static void end_instances(TestEnv *env, const char *reason, bool recurs, uint32_t times) {
    env_cloud(env)->failure_reason = reason;
    env_cloud(env)->failure_recurs = recurs;
    env_break(env, INTENT_GET_INSTANCE, times, ERR_NOT_FOUND, "%s", WHY);
}

static TestEnv *with_class(void) {
    TestEnv *env = claim_env();

    env_put(env, "{kind: KWOKNodeClass, metadata: {name: default}}");
    return env;
}

// As claim_env_launched, with its NodeClass.
static TestEnv *launched_with_class(void) {
    TestEnv *env = with_class();

    put_claim(env, "");
    env_run(env, "1s");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Launched=True");
    return env;
}

static void put_named_claim(TestEnv *env, const char *name) {
    env_put(env, "{kind: NodeClaim, metadata: {name: %s}}", name);
}

// --- looks

TEST(R083_an_instance_is_looked_at_until_its_node_registers) {
    TestEnv *env = claim_env_launched("");

    assert_string_equal(env_run(env, "28s"), "");
    assert_says(env_run(env, "2s"), "get-instance kwok://a");
    env_run(env, "8m"); // at 1m, 2m, and every two minutes
    assert_int_equal(env_cloud(env)->gets, 1 + 5);
    put_joining_node(env, "");
    env_run(env, "5m");
    assert_int_equal(env_cloud(env)->gets, 6);
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Registered=True");
    env_free(env);
}

TEST(R083_a_new_process_looks_at_once) {
    TestEnv *env = claim_env_launched("");

    env_run(env, "40s");
    env_restart(env);
    assert_says(env_run(env, "1s"), "get-instance kwok://a");
    env_free(env);
}

typedef struct {
    const char *name;
    ErrCode code;
} AnswerRow;

static void list_answers(TestCases *cases) {
    static AnswerRow rows[] = {{"not found, and nobody knows why", ERR_NOT_FOUND},
                               {"denied", ERR_DENIED},
                               {"throttled", ERR_THROTTLED},
                               {"timeout", ERR_TIMEOUT},
                               {"failed", ERR_IO},
                               {"invalid", ERR_INVALID}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

TEST_EACH(AnswerRow, row, R083_only_an_end_that_the_cloud_explains_counts, list_answers) {
    TestEnv *env = claim_env_launched("");
    const char *history;

    env_break(env, INTENT_GET_INSTANCE, 100, row->code, "no");
    history = env_run(env, "10m");
    assert_says(history, "get-instance");
    assert_does_not_say(history, "delete");
    assert_does_not_say(history, "patch");
    assert_does_not_say(history, "event");
    assert_does_not_say(history, "log");
    put_joining_node(env, "");
    env_run(env, "1s");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Registered=True");
    env_free(env);
}

// A look that is on its way keeps nothing else waiting.
TEST(R083_a_node_registers_while_the_cloud_is_asked) {
    TestEnv *env = claim_env_launched("");

    env_pass(env, "30s");
    assert_says(env_reconcile(env, "a"), "get-instance kwok://a");
    env_forget(env);
    put_joining_node(env, "");
    env_run(env, "1s");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Registered=True");
    env_free(env);
}

// --- ends

TEST(R083_an_end_that_does_not_recur_deletes_the_claim_at_once) {
    TestEnv *env = launched_with_class();
    const char *history;

    end_instances(env, "InstanceEnded", false, 1);
    history = env_run(env, "1m");
    assert_says(history, "event Warning nodeclaim/a InstanceEnded: " WHY);
    assert_says(history, "log info instance ended before its node registered NodeClaim=a provider-id=kwok://a "
                         "reason=InstanceEnded error=" WHY);
    assert_int_equal(env_times(history, "event "), 1);
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_cloud(env)->terminations, 0); // it is known to be gone
    put_named_claim(env, "b");
    assert_says(env_run(env, "1s"), "launch b");
    env_free(env);
}

TEST(R083_an_end_that_recurs_is_said_by_the_claim_which_stays_for_a_while) {
    TestEnv *env = launched_with_class();
    const char *history;

    end_instances(env, "KMSKeyInaccessible", true, 1);
    history = env_run(env, "40s");
    assert_says(history, "event Warning nodeclaim/a KMSKeyInaccessible: " WHY);
    assert_says(history, "log error instance ended before its node registered");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Registered"), "False/KMSKeyInaccessible: " WHY);
    assert_does_not_say(history, "delete");
    assert_string_equal(env_run(env, "45s"), "");
    history = env_run(env, "10s");
    assert_says(history, "delete nodeclaim/a");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_cloud(env)->gets, 1);
    env_free(env);
}

TEST(R083_a_text_is_cut_between_characters) {
    Arena arena = {0};

    assert_string_equal(arena_text(&arena, claim_text(&arena, SLICE("caf\xc3\xa9!"), 4)), "caf...");
    assert_string_equal(arena_text(&arena, claim_text(&arena, SLICE("caf\xc3\xa9!"), 5)), "caf\xc3\xa9...");
    assert_string_equal(arena_text(&arena, claim_text(&arena, SLICE("caf\xc3\xa9!"), 6)), "caf\xc3\xa9!");
    arena_free(&arena);
}

// --- back-off

// How long a claim stays after its instance was found to have ended.
static int64_t held_s(TestEnv *env, const char *name) {
    int64_t seconds = 0;

    put_named_claim(env, name);
    env_run(env, "1s");
    end_instances(env, "KMSKeyInaccessible", true, 1);
    while (!strstr(env_conditions(env, KUBE_NODE_CLAIM, name), "KMSKeyInaccessible"))
        env_run(env, "1s");
    for (; env_has(env, KUBE_NODE_CLAIM, name); seconds++)
        env_run(env, "1s");
    return seconds;
}

TEST(R083_the_back_off_grows_with_each_wave_and_stays_below_the_launch_timeout) {
    TestEnv *env = with_class();

    assert_in_range(held_s(env, "b"), 59, 61);
    assert_in_range(held_s(env, "c"), 119, 121);
    assert_in_range(held_s(env, "d"), 239, 241);
    assert_in_range(held_s(env, "e"), 239, 241);
    env_free(env);
}

TEST(R083_claims_that_wait_are_launched_when_the_back_off_is_over) {
    TestEnv *env = launched_with_class();
    const char *history;

    end_instances(env, "KMSKeyInaccessible", true, 1);
    env_run(env, "40s");
    put_named_claim(env, "b");
    history = env_run(env, "30s");
    assert_says(history, "Launched=Unknown/InstancesEndEarly");
    assert_does_not_say(history, "launch b");
    assert_says(env_run(env, "25s"), "launch b");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "b"), "Launched=True");
    env_free(env);
}

// A hundred instances that end together are one failure.
TEST(R083_ends_of_one_wave_count_once) {
    TestEnv *env = launched_with_class();

    for (int i = 0; i < 99; i++)
        env_put_unseen(env, "{kind: NodeClaim, metadata: {name: w%d}}", i);
    env_tell(env);
    end_instances(env, "KMSKeyInaccessible", true, 100);
    env_run(env, "80s");
    assert_int_equal(env_count(env, KUBE_NODE_CLAIM), 100);
    assert_int_equal(env_cloud(env)->launches, 100);
    env_run(env, "20s");
    assert_int_equal(env_count(env, KUBE_NODE_CLAIM), 0);
    env_free(env);
}

static void join(TestEnv *env, const char *name) {
    env_put(env,
            "{kind: Node, metadata: {name: node-%s}, spec: {providerID: 'kwok://%s', taints: [{key: "
            "karpenter.sh/unregistered, effect: NoExecute}]}}",
            name, name);
    env_run(env, "1s");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, name), "Registered=True");
}

// One that was launched before the failure says nothing of what was changed since.
TEST(R083_a_later_launch_whose_node_registers_ends_the_back_off) {
    TestEnv *env = with_class();

    assert_in_range(held_s(env, "b"), 59, 61);
    put_named_claim(env, "early");
    env_run(env, "65s"); // between two looks
    assert_in_range(held_s(env, "c"), 119, 121);
    join(env, "early");
    put_named_claim(env, "late");
    env_run(env, "1s");
    join(env, "late");
    assert_in_range(held_s(env, "e"), 59, 61);
    env_free(env);
}

TEST(R083_a_node_class_that_changes_ends_the_back_off_and_its_status_does_not) {
    TestEnv *env = launched_with_class();
    const char *history;

    end_instances(env, "KMSKeyInaccessible", true, 1);
    env_run(env, "40s");
    put_named_claim(env, "b");
    env_run(env, "1s");
    env_put(env, "{kind: KWOKNodeClass, metadata: {name: default}, status: {conditions: [Ready]}}");
    assert_does_not_say(env_run(env, "1s"), "launch");
    env_put(env, "{kind: KWOKNodeClass, metadata: {name: default}, spec: {nodeRegistrationDelay: 5s}}");
    history = env_run(env, "1s");
    assert_says(history, "launch b");
    assert_says(history, "delete nodeclaim/a");
    env_free(env);
}

TEST(R083_other_node_classes_are_launched_with) {
    TestEnv *env = launched_with_class();

    end_instances(env, "KMSKeyInaccessible", true, 1);
    env_run(env, "40s");
    env_put(env, "{kind: NodeClaim, metadata: {name: b}, spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: "
                 "KWOKNodeClass, name: other}}}");
    assert_says(env_run(env, "1s"), "launch b");
    env_free(env);
}

// Process memory is lost: one more look, and the back-off begins anew.
TEST(R083_a_new_process_finds_the_end_again) {
    TestEnv *env = launched_with_class();

    end_instances(env, "KMSKeyInaccessible", true, 2);
    env_run(env, "40s");
    env_restart(env);
    env_run(env, "50s");
    assert_true(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Registered=False/KMSKeyInaccessible");
    env_run(env, "15s");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}

TEST(R083_a_deletion_that_fails_is_tried_again) {
    TestEnv *env = launched_with_class();

    end_instances(env, "InstanceEnded", false, 1);
    env_break(env, INTENT_REMOVE, 3, ERR_IO, "etcd is away");
    assert_int_equal(env_times(env_run(env, "1m"), "delete nodeclaim/a"), 4);
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}

// --- messages

static TestEnv *with_messages(void) {
    Settings settings = env_settings();
    TestEnv *env;

    settings.has_interruption_queue = true;
    env = env_new(&claim_lifecycle_controller, &settings);
    env_add(env, &interruption_controller);
    env_put(env, "{kind: KWOKNodeClass, metadata: {name: default}}");
    put_claim(env, "");
    env_run(env, "5s");
    return env;
}

TEST(R083_a_message_that_it_has_ended_is_a_reason_to_look) {
    TestEnv *env = with_messages();
    const char *history;

    end_instances(env, "KMSKeyInaccessible", true, 1);
    env_send(env, CLOUD_MESSAGE_TERMINATED, "kwok://a");
    history = env_run(env, "3s");
    assert_says(history, "get-instance kwok://a");
    assert_does_not_say(history, "delete");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Registered=False/KMSKeyInaccessible");
    env_free(env);
}

TEST(R083_one_that_is_being_terminated_is_looked_at_until_it_has_ended) {
    TestEnv *env = with_messages();

    env_instance(env, "kwok://a")->terminating = true;
    env_instance(env, "kwok://a")->gone_ns = env_now_ns(env) + NS_PER_HOUR;
    env_send(env, CLOUD_MESSAGE_TERMINATED, "kwok://a");
    assert_int_equal(env_times(env_run(env, "18s"), "get-instance"), 4);
    end_instances(env, "InstanceEnded", false, 1);
    env_run(env, "10s");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}

TEST(R083_a_message_about_an_older_instance_deletes_the_claim) {
    TestEnv *env = with_messages();

    env_run(env, "2m");
    env_send(env, CLOUD_MESSAGE_TERMINATED, "kwok://a");
    assert_says(env_run(env, "3s"), "delete nodeclaim/a");
    env_free(env);
}
