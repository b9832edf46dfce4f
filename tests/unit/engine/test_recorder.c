// The event recorder alone: deduplication, limits and writes. Reference lifecycle.md 7.2.
#include "engine/recorder.h"
#include "harness/test.h"
#include "text/json.h"

static const int64_t NOW = INT64_C(1767571200000000000); // 2026-01-05T00:00:00Z

static EventIntent about(const char *name, const char *reason, const char *message) {
    return (EventIntent){.about = {KUBE_POD, SLICE("shop"), slice_of(name)},
                         .uid = slice_of(name),
                         .reason = reason,
                         .message = slice_of(message)};
}

static void say(Recorder *recorder, EventIntent event, int64_t at_ns) {
    recorder_take(recorder, &event, (Moment){{NOW + at_ns}, NOW + at_ns});
}

// Writes all events that are due, successfully, and returns their number.
static uint32_t write_all(Recorder *recorder) {
    Arena arena = {0};
    IntentVec intents;
    uint32_t written = 0;

    while (recorder_next(recorder, &arena, &intents)) {
        Completion *completions = arena_array(&arena, Completion, intents.count);

        recorder_take_result(recorder, completions, intents.count);
        written += intents.count;
    }
    arena_free(&arena);
    return written;
}

TEST(events_are_core_v1_events) {
    Recorder *recorder = recorder_new(false);
    Arena arena = {0};
    Buffer text = {0};
    IntentVec intents;
    EventIntent event = about("web-1", "FailedScheduling", "Failed to schedule pod, no");

    event.warning = true;
    say(recorder, event, 0);
    assert_true(recorder_next(recorder, &arena, &intents));
    assert_int_equal(intents.count, 1);
    assert_int_equal(intents.items[0].type, INTENT_CREATE);
    assert_int_equal(intents.items[0].ref.kind, KUBE_EVENT);
    json_print(&text, intents.items[0].object, false);
    assert_string_equal(arena_text(&arena, buffer_slice(&text)),
                        "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"web-1.1887aca433360000\","
                        "\"namespace\":\"shop\"},\"involvedObject\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
                        "\"namespace\":\"shop\",\"name\":\"web-1\",\"uid\":\"web-1\"},\"reason\":\"FailedScheduling\","
                        "\"message\":\"Failed to schedule pod, no\",\"type\":\"Warning\",\"source\":{\"component\":"
                        "\"karpenter\"},\"reportingComponent\":\"karpenter\",\"reportingInstance\":\"\","
                        "\"firstTimestamp\":\"2026-01-05T00:00:00Z\",\"lastTimestamp\":\"2026-01-05T00:00:00Z\","
                        "\"count\":1}");
    assert_false(recorder_next(recorder, &arena, &intents)); // one job at a time
    buffer_free(&text);
    arena_free(&arena);
    recorder_free(recorder);
}

TEST(objects_without_namespace_are_told_of_in_default) {
    Recorder *recorder = recorder_new(false);
    Arena arena = {0};
    IntentVec intents;
    EventIntent event = about("n", "FailedDraining", "x");

    event.about = (KubeRef){KUBE_NODE_CLAIM, {0}, SLICE("n")};
    say(recorder, event, 0);
    assert_true(recorder_next(recorder, &arena, &intents));
    assert_true(slice_eq_text(kube_namespace(intents.items[0].object), "default"));
    assert_true(slice_eq_text(kube_text(intents.items[0].object, "involvedObject", "kind", NULL), "NodeClaim"));
    assert_true(
        slice_eq_text(kube_text(intents.items[0].object, "involvedObject", "apiVersion", NULL), "karpenter.sh/v1"));
    assert_null(value_at(intents.items[0].object, "involvedObject", "namespace", NULL));
    arena_free(&arena);
    recorder_free(recorder);
}

TEST(the_same_is_said_once_in_two_minutes) {
    Recorder *recorder = recorder_new(false);

    say(recorder, about("a", "R", "m"), 0);
    say(recorder, about("a", "R", "m"), 119 * NS_PER_S);
    say(recorder, about("b", "R", "m"), 119 * NS_PER_S); // of another object
    say(recorder, about("a", "R", "n"), 119 * NS_PER_S); // another message
    assert_int_equal(write_all(recorder), 3);
    say(recorder, about("a", "R", "m"), 120 * NS_PER_S);
    assert_int_equal(write_all(recorder), 1);
    assert_int_equal(recorder_counts(recorder).repeated, 1);
    recorder_free(recorder);
}

TEST(a_dedupe_key_stands_for_object_and_message) {
    Recorder *recorder = recorder_new(false);
    EventIntent event = about("a", "FailedScheduling", "first words");

    event.dedupe_key = SLICE("uid-1");
    event.dedupe_ns = 300 * NS_PER_S;
    say(recorder, event, 0);
    event.message = SLICE("other words");
    say(recorder, event, 299 * NS_PER_S);
    assert_int_equal(write_all(recorder), 1);
    event.reason = "Nominated";
    say(recorder, event, 299 * NS_PER_S);
    assert_int_equal(write_all(recorder), 1);
    event.reason = "FailedScheduling";
    say(recorder, event, 300 * NS_PER_S);
    assert_int_equal(write_all(recorder), 1);
    event.dedupe_ns = -1; // status conditions: every transition is told
    say(recorder, event, 300 * NS_PER_S);
    say(recorder, event, 300 * NS_PER_S);
    assert_int_equal(write_all(recorder), 2);
    recorder_free(recorder);
}

// Nominated: 5/s, burst 10.
TEST(nominated_has_a_token_bucket) {
    Recorder *recorder = recorder_new(false);
    char names[200][8];

    for (int i = 0; i < 200; i++) {
        names[i][0] = (char)('a' + i / 26);
        names[i][1] = (char)('a' + i % 26);
        names[i][2] = 0;
    }
    for (int i = 0; i < 50; i++)
        say(recorder, about(names[i], "Nominated", "m"), 0);
    assert_int_equal(write_all(recorder), 10);
    for (int i = 50; i < 60; i++)
        say(recorder, about(names[i], "Nominated", "m"), NS_PER_S);
    assert_int_equal(write_all(recorder), 5);
    for (int i = 60; i < 100; i++)
        say(recorder, about(names[i], "Nominated", "m"), 100 * NS_PER_S);
    assert_int_equal(write_all(recorder), 10);
    for (int i = 100; i < 150; i++) // others have none
        say(recorder, about(names[i], "Evicted", "m"), 100 * NS_PER_S);
    assert_int_equal(write_all(recorder), 50);
    assert_int_equal(recorder_counts(recorder).limited, 40 + 5 + 30);
    recorder_free(recorder);
}

TEST(what_was_written_is_patched_and_counted) {
    Recorder *recorder = recorder_new(false);
    Arena arena = {0};
    IntentVec intents;
    Completion fine = {0}, expired = {.code = ERR_NOT_FOUND}, refused = {.code = ERR_DENIED};
    Slice name;
    int64_t count;

    say(recorder, about("a", "R", "m"), 0);
    recorder_next(recorder, &arena, &intents);
    name = kube_name(intents.items[0].object);
    recorder_take_result(recorder, &fine, 1);
    say(recorder, about("a", "R", "m"), 200 * NS_PER_S);
    assert_true(recorder_next(recorder, &arena, &intents));
    assert_int_equal(intents.items[0].type, INTENT_PATCH);
    assert_true(slice_eq(intents.items[0].ref.name, name));
    assert_true(value_to_int64(value_get_text(intents.items[0].patch.body, "count"), &count));
    assert_int_equal(count, 2);
    recorder_take_result(recorder, &expired, 1); // the API server has removed it: it is created again
    assert_true(recorder_next(recorder, &arena, &intents));
    assert_int_equal(intents.items[0].type, INTENT_CREATE);
    recorder_take_result(recorder, &refused, 1);
    assert_false(recorder_next(recorder, &arena, &intents));
    assert_int_equal(recorder_counts(recorder).dropped, 1);
    say(recorder, about("a", "R", "m"), 400 * NS_PER_S); // refused: it does not exist, so it cannot be patched
    recorder_next(recorder, &arena, &intents);
    assert_int_equal(intents.items[0].type, INTENT_CREATE);
    arena_free(&arena);
    recorder_free(recorder);
}

// 200,000 different events: no more than the maximum wait, and the rest is counted.
TEST(a_flood_is_bounded) {
    Recorder *recorder = recorder_new(false);

    for (int i = 0; i < 200000; i++) {
        Arena arena = {0};

        say(recorder, about(arena_text(&arena, arena_printf(&arena, "pod-%d", i)), "FailedScheduling", "m"), i);
        arena_free(&arena);
    }
    assert_int_equal(recorder_counts(recorder).waiting, RECORDER_WAITING_MAX);
    assert_int_equal(recorder_counts(recorder).dropped, 200000 - RECORDER_WAITING_MAX);
    assert_int_equal(write_all(recorder), RECORDER_WAITING_MAX);
    recorder_free(recorder);
}

TEST(long_messages_are_cut_between_characters) {
    Recorder *recorder = recorder_new(false);
    Arena arena = {0};
    char *text = arena_alloc(&arena, 3001);
    IntentVec intents;

    for (int i = 0; i < 1500; i++)
        memcpy(text + i * 2, "ä", 2);
    say(recorder, about("a", "R", text + 1), 0); // odd: the limit falls inside a character
    recorder_next(recorder, &arena, &intents);
    assert_int_equal(kube_text(intents.items[0].object, "message", NULL).len, 1023);
    arena_free(&arena);
    recorder_free(recorder);
}

TEST(omit_events_writes_nothing) {
    Recorder *recorder = recorder_new(true);

    say(recorder, about("a", "R", "m"), 0);
    assert_int_equal(write_all(recorder), 0);
    assert_int_equal(recorder_counts(recorder).said, 1);
    recorder_free(recorder);
}
