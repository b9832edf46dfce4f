// How long a solve has been running, for the readiness check `solver`.
#include "base/time.h"
#include "harness/test.h"
#include "obs/telemetry.h"

static int64_t at_ns;

static int64_t read_wall(void *self) {
    (void)self;
    return at_ns;
}

static Mono read_mono(void *self) {
    (void)self;
    return (Mono){at_ns};
}

// Reports to the observer a call of a controller with that intent, or its completion.
static void call(const EngineObserver *observer, State *state, const Intent *intent) {
    observer->called(observer->self, state, "provisioner", (Key){0}, intent, 1, 0, (Moment){{at_ns}, at_ns});
}

static void answer(const EngineObserver *observer, State *state, const Intent *intent) {
    Completion completion = {.type = intent->type};

    observer->told(observer->self, state, "provisioner", (Key){0}, intent, &completion, 1, (Moment){{at_ns}, at_ns});
}

TEST(a_plan_is_under_way_from_the_call_that_wants_it_to_its_answer) {
    const Intent solve = {.type = INTENT_SOLVE}, read = {.type = INTENT_READ};
    Clock clock = {read_wall, read_mono, NULL};
    State *state = state_new();
    const EngineObserver *observer;
    Telemetry *telemetry;

    at_ns = NS_PER_S;
    telemetry = telemetry_new(SLICE("kwok"), SLICE(""), clock, false);
    observer = telemetry_observer(telemetry);
    assert_int_equal(telemetry_solving_ns(telemetry), 0);
    call(observer, state, &solve);
    at_ns += 20 * NS_PER_S;
    assert_int_equal(telemetry_solving_ns(telemetry), 20 * NS_PER_S);
    call(observer, state, &read);
    answer(observer, state, &read);
    assert_int_equal(telemetry_solving_ns(telemetry), 20 * NS_PER_S);
    answer(observer, state, &solve);
    assert_int_equal(telemetry_solving_ns(telemetry), 0);
    telemetry_free(telemetry);
    state_free(state);
}

// When an engine ends, its solve does not count any more.
TEST(a_plan_of_an_engine_that_is_not_followed_any_more_is_none) {
    const Intent solve = {.type = INTENT_SOLVE};
    Clock clock = {read_wall, read_mono, NULL};
    State *state = state_new();
    Telemetry *telemetry;

    at_ns = NS_PER_S;
    telemetry = telemetry_new(SLICE("kwok"), SLICE(""), clock, false);
    call(telemetry_observer(telemetry), state, &solve);
    at_ns += NS_PER_S;
    assert_int_equal(telemetry_solving_ns(telemetry), NS_PER_S);
    telemetry_follow(telemetry, NULL);
    assert_int_equal(telemetry_solving_ns(telemetry), 0);
    telemetry_free(telemetry);
    state_free(state);
}
