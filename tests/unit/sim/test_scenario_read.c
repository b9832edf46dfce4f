// Reading scenarios: their content, and the messages of errors.
#include "base/buffer.h"
#include "base/glob.h"
#include "harness/test.h"
#include "sim/scenario/scenario.h"

#include <stdio.h>

#define HEAD "apiVersion: tenon.sh/v1alpha1\nkind: Scenario\nname: it\n"

static ErrCode load(void *context, Arena *arena, Slice path, Slice *ret_text, Err *err) {
    (void)context, (void)arena;
    if (!slice_eq_text(path, "ns.yaml"))
        return err_set(err, ERR_NOT_FOUND, "no such file");
    *ret_text = SLICE("apiVersion: v1\nkind: Namespace\nmetadata: {name: one}\n---\n"
                      "apiVersion: v1\nkind: Namespace\nmetadata: {name: two}\n");
    return OK;
}

static ScenarioVec read_all(Arena *arena, const char *text) {
    ScenarioFiles files = {.load = load};
    ScenarioVec scenarios = {0};
    Err err = {0};

    if (scenario_read(arena, SLICE("s.yaml"), slice_of(text), &files, &scenarios, &err) != OK)
        fail_msg("%s", err.text);
    return scenarios;
}

static void assert_refused(const char *text, const char *message) {
    Arena arena = {0};
    ScenarioVec scenarios = {0};
    Err err = {0};

    assert_int_equal(scenario_read(&arena, SLICE("s.yaml"), slice_of(text), NULL, &scenarios, &err), ERR_INVALID);
    assert_string_equal(err.text, message);
    arena_free(&arena);
}

TEST(steps_are_in_the_order_of_their_times) {
    Arena arena = {0};
    ScenarioVec scenarios =
        read_all(&arena, HEAD "timeline:\n"
                              "- {at: 5m, note: later}\n"
                              "- {at: 1m, note: first, scale: {name: web, replicas: 3}}\n"
                              "- {at: 1m, every: 30s, until: 2m, load: {name: web, low: 1, high: 9}}\n");
    const Scenario *scenario = &scenarios.items[0];
    const ScenarioStep *steps = scenario->steps.items;

    assert_int_equal(scenario->steps.count, 4);
    assert_int_equal(steps[0].type, STEP_NOTE);
    assert_int_equal(steps[1].type, STEP_SCALE);
    assert_int_equal(steps[1].target.kind, KUBE_DEPLOYMENT);
    assert_int_equal(steps[1].replicas, 3);
    assert_int_equal(steps[2].type, STEP_LOAD);
    assert_int_equal(steps[2].every_ns, 30 * NS_PER_S);
    assert_int_equal(steps[2].load.peak_ns, 14 * NS_PER_HOUR);
    assert_int_equal(steps[3].at_ns, 300 * NS_PER_S);
    assert_int_equal(scenario->duration_ns, 900 * NS_PER_S); // ten minutes after the last
    arena_free(&arena);
}

TEST(objects_come_from_lists_texts_and_files) {
    Arena arena = {0};
    ScenarioVec scenarios = read_all(&arena, HEAD "timeline:\n"
                                                  "- at: 0s\n"
                                                  "  apply:\n"
                                                  "  - {apiVersion: v1, kind: Pod, metadata: {name: a}}\n"
                                                  "  - ns.yaml\n"
                                                  "  - |\n"
                                                  "    apiVersion: v1\n"
                                                  "    kind: List\n"
                                                  "    items:\n"
                                                  "    - {apiVersion: v1, kind: Pod, metadata: {name: b}}\n"
                                                  "    - {apiVersion: v1, kind: Pod, metadata: {name: c}}\n");

    assert_int_equal(scenarios.items[0].steps.items[0].objects.count, 5);
    arena_free(&arena);
}

TEST(faults_carry_their_parameters) {
    Arena arena = {0};
    ScenarioVec scenarios =
        read_all(&arena, HEAD "timeline:\n"
                              "- {at: 0s, fault: watch-drop}\n"
                              "- {at: 1s, fault: {type: ice, instanceType: \"m5.*\", zone: us-east-1a, for: 10m}}\n"
                              "- {at: 2s, fault: {type: spot-interrupt, percent: 40%}}\n"
                              "- {at: 3s, fault: {type: clock-skew, delay: -5s}}\n");
    const ScenarioStep *steps = scenarios.items[0].steps.items;

    assert_int_equal(steps[0].fault.type, FAULT_WATCH_DROP);
    assert_int_equal(steps[1].fault.type, FAULT_ICE);
    assert_true(slice_eq_text(steps[1].fault.instance_type, "m5.*"));
    assert_int_equal(steps[1].fault.for_ns, 10 * NS_PER_MIN);
    assert_true(steps[2].fault.has_percent && steps[2].fault.percent == 40);
    assert_int_equal(steps[3].fault.delay_ns, -5 * NS_PER_S);
    arena_free(&arena);
}

TEST(expectations_count_and_measure) {
    Arena arena = {0};
    ScenarioVec scenarios =
        read_all(&arena, HEAD
                 "timeline:\n"
                 "- at: 0s\n"
                 "  expect:\n"
                 "  - {kind: nodeclaims, labels: \"a=b,c in (d,e)\", where: {\"status.conditions[Ready].status\": True,"
                 " \"metadata.annotations[x.io/y]\": \"!z*\"}, count: \">= 3\", within: 2m, lasting: 10s}\n"
                 "  - {measure: money, value: 0.5..2}\n");
    const ExpectationVec *expectations = &scenarios.items[0].steps.items[0].expectations;

    assert_int_equal(expectations->count, 2);
    assert_int_equal(expectations->items[0].selection.kind, KUBE_NODE_CLAIM);
    assert_int_equal(expectations->items[0].selection.where.count, 2);
    assert_true(expectations->items[0].selection.where.items[1].negated);
    assert_int_equal(expectations->items[0].amount.op, AMOUNT_GE);
    assert_int_equal(expectations->items[0].lasting_ns, 10 * NS_PER_S);
    assert_int_equal(expectations->items[1].measure, MEASURE_MONEY);
    assert_true(amount_is_met(&expectations->items[1].amount, 2) &&
                !amount_is_met(&expectations->items[1].amount, 2.1));
    arena_free(&arena);
}

TEST(mistakes_are_named_with_their_place) {
    assert_refused("kind: Scenario\nname: it\ntimeline: []\n", "apiVersion: required (s.yaml:1)");
    assert_refused(HEAD, "timeline: required (s.yaml:1)");
    assert_refused(HEAD "timelines: []\n", "unknown member \"timelines\" (s.yaml:4)");
    assert_refused(HEAD "timeline:\n- {at: 5, note: x}\n",
                   "timeline[0].at: expected string, got number; quote it (s.yaml:5)");
    assert_refused(HEAD "timeline:\n- {at: 5x, note: x}\n",
                   "timeline[0].at: expected a duration (90s, 1h30m) of at most 87600h, got \"5x\" (s.yaml:5)");
    assert_refused(HEAD "timeline:\n- {at: -5s, note: x}\n",
                   "timeline[0].at: expected a duration (90s, 1h30m) of at most 87600h, got \"-5s\" (s.yaml:5)");
    assert_refused(HEAD "duration: 87601h\ntimeline: []\n",
                   "duration: expected a duration (90s, 1h30m) of at most 87600h, got \"87601h\" (s.yaml:4)");
    assert_refused("apiVersion: tenon.sh/v1alpha1\nkind: Scenario\nname: !\ntimeline: []\n",
                   "name: expected a name, got \"\" (s.yaml:3)");
    assert_refused(HEAD "timeline:\n- {at: 5s, jump: x}\n",
                   "timeline[0]: expected apply, patch, scale, load, delete, fault, expect or note, got \"jump\" "
                   "(s.yaml:5)");
    assert_refused(HEAD "timeline:\n- {at: 5s, fault: rain}\n",
                   "timeline[0].fault: unknown fault \"rain\": docs/scenarios.md names them (s.yaml:5)");
    assert_refused(HEAD "timeline:\n- {at: 5s, fault: {type: ice, factor: 2}}\n",
                   "timeline[0].fault: fault ice takes no factor (s.yaml:5)");
    assert_refused(HEAD "timeline:\n- {at: 5s, fault: {type: watch-delay, delay: -1s}}\n",
                   "timeline[0].fault: fault watch-delay needs a delay of at least 0 (s.yaml:5)");
    assert_refused(HEAD "timeline:\n- {at: 5s, fault: slow-boot}\n",
                   "timeline[0].fault: fault slow-boot needs a factor above 0 (s.yaml:5)");
    assert_refused(HEAD "timeline:\n- {at: 5s, apply: {apiVersion: v1, kind: Sandwich}}\n",
                   "timeline[0].apply: expected an object whose apiVersion and kind the embedded cluster knows "
                   "(s.yaml:5)");
    assert_refused(HEAD "timeline:\n- {at: 5s, expect: {kind: Pod, count: many}}\n",
                   "timeline[0].expect.count: expected an amount (5, \">= 3\", \"2..4\"), got \"many\" (s.yaml:5)");
    assert_refused(HEAD "timeline:\n- {at: 5s, expect: {kind: Pod, where: {\"a[\": 1}, count: 1}}\n",
                   "timeline[0].expect.where: expected a path such as status.conditions[Ready].status, got \"a[\" "
                   "(s.yaml:5)");
    assert_refused(HEAD "timeline:\n- {at: 5s, expect: {measure: mood, value: 1}}\n",
                   "timeline[0].expect.measure: unknown measure \"mood\": docs/scenarios.md names them (s.yaml:5)");
}

TEST(amounts_say_what_they_want) {
    static const struct {
        const char *text, *printed;
        double in, out;
    } rows[] = {{"3", "3", 3, 4},       {"== 3", "3", 3, 2},     {"!=3", "!= 3", 4, 3}, {">= 3", ">= 3", 3, 2.9},
                {"> 3", "> 3", 3.1, 3}, {"<=3", "<= 3", 3, 3.1}, {"<3", "< 3", 2, 3},   {"2..4", "2..4", 4, 5}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Arena arena = {0};
        Decoder decoder = {.arena = &arena};
        Value value = value_string(slice_of(rows[i].text));
        Amount amount;

        assert_int_equal(decode_amount(&decoder, &value, &amount, NULL), OK);
        assert_true(amount_is_met(&amount, rows[i].in));
        assert_false(amount_is_met(&amount, rows[i].out));
        assert_true(slice_eq_text(amount_print(&arena, &amount), rows[i].printed));
        arena_free(&arena);
    }
}

TEST(globs_match_as_shells_do) {
    assert_true(glob_matches(SLICE(""), SLICE("anything")));
    assert_true(glob_matches(SLICE("m5.*"), SLICE("m5.large")));
    assert_false(glob_matches(SLICE("m5.*"), SLICE("m5a.large")));
    assert_true(glob_matches(SLICE("?[67]*"), SLICE("c[67]x")));
    assert_true(glob_matches(SLICE("*a*b*"), SLICE("xxaxxbxx")));
    assert_false(glob_matches(SLICE("*a*b"), SLICE("xxaxxbxx")));
}
