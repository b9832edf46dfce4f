// What was removed is forgotten once no watch can bring it back: src/engine/watch/removals.h.
#include "engine/support/engine_env.h"

#include "harness/test.h"

#include <stdio.h>

static EngineEnv *begin(int removed) {
    EngineEnv *env = engine_env_new(NULL, 0);

    engine_env_start(env);
    for (int i = 0; i < removed; i++) {
        char name[16];

        snprintf(name, sizeof name, "n%d", i);
        engine_env_create(env, KUBE_NODE, "{metadata: {name: %s}}", name);
        engine_env_settle(env);
        engine_env_delete(env, KUBE_NODE, name);
        engine_env_settle(env);
    }
    return env;
}

static uint32_t remembered(EngineEnv *env) {
    return state_memory(engine_state(env->engine)).removals;
}

// Bookmarks come once a minute; others write meanwhile.
static void pass(EngineEnv *env, int minutes) {
    static int number;

    for (int i = 0; i < minutes; i++) {
        engine_env_create(env, KUBE_NAMESPACE, "{metadata: {name: other-%d}}", number++);
        engine_env_run(env, 60 * NS_PER_S);
        api_send_bookmarks(env->server);
        engine_env_settle(env);
    }
}

TEST(removals_are_remembered_for_ten_minutes_at_least_and_twenty_two_at_most) {
    EngineEnv *env = begin(50);

    pass(env, 9);
    assert_int_equal(remembered(env), 50);
    pass(env, 13);
    assert_int_equal(remembered(env), 0);
    engine_env_free(env);
}

TEST(what_a_watch_that_is_away_has_not_passed_is_remembered) {
    EngineEnv *env = begin(50);

    env->watch_fault_kind = KUBE_NODE;
    env->watch_fault = (EngineEnvFault){1000000, KUBE_REASON_SERVICE_UNAVAILABLE};
    api_drop_watches(env->server);
    pass(env, 60);
    assert_int_equal(remembered(env), 1); // the last event that the watch brought: it goes on behind that one
    env->watch_fault.times = 0;
    pass(env, 23);
    assert_int_equal(remembered(env), 0);
    engine_env_free(env);
}
