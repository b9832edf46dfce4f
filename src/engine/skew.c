// Reading the clocks, and comparing wall clocks.
//
// The difference is only logged: durations are measured by the monotonic clock, and timestamps in objects are written
// and compared in the API server's time, which other controllers and kubelets use as well.
#include "engine/skew.h"

#include "engine/call.h"
#include "text/duration.h"

// A difference above SKEW_WARN is logged, and again whenever it changes by as much; below SKEW_FINE it is over.
static const int64_t SKEW_WARN_NS = 30 * NS_PER_S, SKEW_FINE_NS = 15 * NS_PER_S;

static int64_t magnitude(int64_t ns) {
    return ns < 0 ? -ns : ns;
}

static void say_skew(Engine *engine, int64_t ahead_ns) {
    Arena arena = {0};
    int64_t whole_ns = (magnitude(ahead_ns) + NS_PER_S / 2) / NS_PER_S * NS_PER_S;
    Slice pairs[] = {ahead_ns > 0 ? SLICE("ahead") : SLICE("behind"), duration_print(&arena, whole_ns)};

    engine_log(engine, LOG_WARN, "this machine's clock is not the API server's, going by the latter", NULL, NULL, pairs,
               2);
    arena_free(&arena);
}

static void watch_skew(Engine *engine) {
    int64_t ahead_ns = engine->own_wall_ns - engine->wall_ns, said_ns = engine->said_ahead_ns;

    engine->counts.clock_ahead_ns = ahead_ns;
    if (said_ns && magnitude(ahead_ns) < SKEW_FINE_NS) {
        engine->said_ahead_ns = 0;
        engine_log(engine, LOG_INFO, "this machine's clock is the API server's again", NULL, NULL, NULL, 0);
    } else if (magnitude(ahead_ns) > SKEW_WARN_NS && magnitude(ahead_ns - said_ns) > SKEW_WARN_NS) {
        engine->said_ahead_ns = ahead_ns;
        say_skew(engine, ahead_ns);
    }
}

void engine_read_clocks(Engine *engine) {
    engine->now = clock_now(engine->config.clock);
    engine->own_wall_ns = clock_wall_ns(engine->config.clock);
    engine->wall_ns = engine_shared_wall_ns(engine->shared);
    watch_skew(engine);
}
