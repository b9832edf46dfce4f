// Making, running and ending an engine.
#include "base/alloc.h"
#include "ctl/controller.h"
#include "engine/call.h"
#include "engine/skew.h"
#include "engine/watch/watch_events.h"

static const int64_t PACE_NS = 5 * NS_PER_MS; // how long mail is gathered after a turn

Engine *engine_new(const EngineConfig *config) {
    Engine *engine = NEW(Engine);

    CHECK(config->executor.submit && config->clock.now, "an engine without executor or clock");
    engine->config = *config;
    engine->observer = config->observer ? *config->observer : (EngineObserver){0};
    engine->shared = engine_shared_new(config);
    engine->state = engine->shared->state;
    engine->queue = queue_new(engine->shared->symbols->table);
    engine->recorder = recorder_new(engine->shared->settings.omit_events);
    engine->gather = gather_new();
    engine->host = call_host(engine);
    random_seed(&engine->random, config->seed);
    atomic_init(&engine->stopped, false);
    arena_alloc(&engine->arena, 1); // a first chunk, which is kept
    engine->arena_start = arena_mark(&engine->arena);
    engine->selves = NEW_ARRAY(void *, config->controller_count);
    for (uint32_t i = 0; i < config->controller_count; i++)
        engine->selves[i] = controller_new(config->controllers[i], &engine->shared->settings);
    reflectors_init(engine);
    return engine;
}

void engine_free(Engine *engine) {
    if (!engine)
        return;
    CHECK(!engine->in_turn, "engine_free is called from inside a turn");
    atomic_store(&engine->shared->ends, true);
    mailbox_close(&engine->shared->mailbox); // from here on nothing has an effect
    reflectors_free(engine);
    for (uint32_t i = 0; i < engine->config.controller_count; i++)
        controller_free(engine->config.controllers[i], engine->selves[i]);
    free(engine->selves);
    recorder_free(engine->recorder);
    gather_free(engine->gather);
    queue_free(engine->queue);
    arena_free(&engine->arena);
    engine_shared_release(engine->shared);
    free(engine);
}

ErrCode engine_start(Engine *engine, Err *err) {
    CHECK(!engine->started, "engine_start is called twice");
    engine->started = true;
    engine_read_clocks(engine);
    return reflectors_start(engine, err);
}

bool engine_is_synced(const Engine *engine) {
    return engine->synced;
}

// Time until the next turn is due; INT64_MAX: none is.
static int64_t rests_ns(const Engine *engine) {
    return mono_left(clock_now(engine->config.clock), engine_next(engine));
}

// Waits a moment so that mail is gathered. Mail often comes in groups: answers to calls that began together, several
// watches with events of one change. Mail that comes soon after a turn is gathered, to save a wake-up for each; the
// first one after a silence is taken at once.
static void let_gather(const Engine *engine) {
    int64_t rest_ns = rests_ns(engine);

    if (rest_ns > PACE_NS)
        nanosleep(&(struct timespec){.tv_nsec = PACE_NS}, NULL);
}

ErrCode engine_run(Engine *engine, Err *err) {
    Mailbox *mailbox = &engine->shared->mailbox;

    TRY(reflector_thread_new(&engine->reflector_thread, err));
    mailbox_serve(mailbox, true);
    while (!atomic_load(&engine->stopped)) {
        if (engine_turn(engine))
            continue;
        let_gather(engine);
        mailbox_wait(mailbox, rests_ns(engine));
    }
    mailbox_serve(mailbox, false);
    reflector_thread_free(engine->reflector_thread);
    engine->reflector_thread = NULL;
    return OK;
}

void engine_stop(Engine *engine) {
    atomic_store(&engine->stopped, true);
    atomic_store(&engine->shared->ends, true);
    mailbox_wake(&engine->shared->mailbox);
}

void engine_wake(Engine *engine) {
    mailbox_wake(&engine->shared->mailbox);
}

const State *engine_state(const Engine *engine) {
    return engine->state;
}

EngineCounts engine_counts(const Engine *engine) {
    EngineCounts counts = engine->counts;
    RecorderCounts events = recorder_counts(engine->recorder);

    counts.events_written = events.written;
    counts.events_dropped = events.dropped;
    counts.mailbox_depth = mailbox_depth(&engine->shared->mailbox);
    counts.keys_waiting = queue_waiting(engine->queue);
    counts.jobs_running = atomic_load(&engine->shared->jobs);
    return counts;
}
