// Calls of controllers, one at a time, and dispatch of their intents.
#include "engine/call.h"

#include "base/uuid.h"
#include "engine/job_submit.h"
#include "engine/journal.h"

static const int64_t BACKOFF_FIRST_NS = 5 * NS_PER_MS, BACKOFF_MAX_NS = 1000 * NS_PER_S;

static const Controller *controller_at(const Engine *engine, uint32_t number) {
    return engine->config.controllers[number];
}

// --- TurnHost

static int64_t later(const Engine *engine, int64_t after_ns) {
    int64_t at_ns = ns_add(engine->now.ns, after_ns > 0 ? after_ns : 0);

    return at_ns < INT64_MAX ? at_ns : INT64_MAX - 1;
}

// Enqueues a key; a controller that is not configured is ignored.
static void host_enqueue(void *self, const Controller *controller, Key key, int64_t after_ns) {
    Engine *engine = self;

    for (uint32_t i = 0; i < engine->config.controller_count; i++) {
        if (controller_at(engine, i) == controller)
            queue_ask(engine->queue, i, key, later(engine, after_ns));
    }
}

static void host_again(void *self, Key key, int64_t after_ns) {
    Engine *engine = self;

    CHECK(engine->call.controller, "turn_again outside of a call");
    queue_ask(engine->queue, engine->call.number, key, later(engine, after_ns));
}

static void host_retry(void *self, Key key) {
    Engine *engine = self;
    const Controller *controller = engine->call.controller;
    int64_t first_ns, max_ns;

    CHECK(controller, "turn_retry outside of a call");
    first_ns = controller->backoff_first_ns ? controller->backoff_first_ns : BACKOFF_FIRST_NS;
    max_ns = controller->backoff_max_ns ? controller->backoff_max_ns : BACKOFF_MAX_NS;
    if (max_ns < first_ns)
        max_ns = first_ns;
    queue_ask(engine->queue, engine->call.number, key,
              later(engine, queue_fail(engine->queue, engine->call.number, key, first_ns, max_ns)));
    if (engine->call.has_key && key_eq(key, engine->call.key))
        engine->call.asked_back = true;
}

static void host_succeed(void *self, Key key) {
    Engine *engine = self;

    CHECK(engine->call.controller, "turn_succeed outside of a call");
    queue_succeed(engine->queue, engine->call.number, key);
}

TurnHost call_host(Engine *engine) {
    return (TurnHost){host_enqueue, host_again, host_retry, host_succeed, engine};
}

// --- logging

// Id of a reconcile in log lines, as in controller-runtime. Equal seeds give equal ids.
static Slice reconcile_id(const Engine *engine, Arena *arena) {
    Random random;
    uint64_t high;

    random_seed(&random, engine->config.seed ^ engine->call.id << 1);
    high = random_u64(&random);
    return uuid_print(arena, high, random_u64(&random));
}

void engine_log(Engine *engine, LogLevel level, const char *message, const Controller *controller, const Key *key,
                const Slice *pairs, uint32_t pair_count) {
    const Symbols *symbols = engine->shared->symbols;
    Arena arena = {0};
    SliceVec all = {0};
    LogIntent line;

    if (!engine->config.log)
        return;
    if (controller) {
        vec_push(&arena, &all, SLICE("controller"));
        vec_push(&arena, &all, slice_of(controller->name));
    }
    if (key && key->ns != SYMBOL_EMPTY) {
        vec_push(&arena, &all, slice_of(journal_ns_label(controller)));
        vec_push(&arena, &all, symbol_text(symbols, key->ns));
    }
    if (key && key->name != SYMBOL_EMPTY) {
        vec_push(&arena, &all, SLICE("name"));
        vec_push(&arena, &all, symbol_text(symbols, key->name));
    }
    if (controller && engine->call.id) {
        vec_push(&arena, &all, SLICE("reconcileID"));
        vec_push(&arena, &all, reconcile_id(engine, &arena));
    }
    for (uint32_t i = 0; i < pair_count; i++)
        vec_push(&arena, &all, pairs[i]);
    line = (LogIntent){level, message, all.items, all.count};
    engine->config.log(engine->config.log_context, engine->own_wall_ns, &line);
    arena_free(&arena);
}

// --- one call

Turn call_begin(Engine *engine, uint32_t controller, const Key *key) {
    CHECK(!engine->call.controller, "%s is called from inside a call of %s", controller_at(engine, controller)->name,
          engine->call.controller->name);
    engine->call = (Call){.controller = controller_at(engine, controller),
                          .number = controller,
                          .key = key ? *key : (Key){0},
                          .has_key = key != NULL};
    engine->intents = (IntentVec){0};
    return (Turn){
        .arena = &engine->arena,
        .state = engine->state,
        .symbols = engine->shared->symbols,
        .cloud = engine->shared->cloud,
        .now = engine->now,
        .wall_ns = engine->wall_ns,
        .settings = &engine->shared->settings,
        .random = &engine->random,
        .intents = &engine->intents,
        .engine = &engine->host,
    };
}

static void dispatch_job(Engine *engine, const Intent *intents, uint32_t count, bool aside) {
    EngineJob *job = job_new(engine->shared, engine->state, intents, count);

    job->controller = engine->call.number;
    job->key = engine->call.key;
    job->call = engine->call.id;
    job->aside = aside;
    job->number = ++engine->batch_number;
    if (!aside)
        queue_hold(engine->queue, job->controller, job->key);
    jobs_submit(engine, job);
}

// A step is only shown.
static void show_step(Engine *engine, const Intent *intent) {
    const EngineObserver *observer = &engine->observer;
    const Completion shown = {.type = intent->type};

    if (observer->told)
        observer->told(observer->self, engine->state, engine->call.controller->name, engine->call.key, intent, &shown,
                       1, engine_moment(engine));
}

// Carries out an intent aside that needs no job; every other one gets a job of its own.
static void dispatch_aside(Engine *engine, const Intent *intent) {
    const Call *call = &engine->call;

    if (intent->type == INTENT_EVENT) {
        engine->counts.intents[INTENT_EVENT]++;
        recorder_take(engine->recorder, &intent->event, engine_moment(engine));
    } else if (intent->type == INTENT_LOG) {
        engine->counts.intents[INTENT_LOG]++;
        engine_log(engine, intent->log.level, intent->log.message, call->controller, call->has_key ? &call->key : NULL,
                   intent->log.pairs, intent->log.pair_count);
    } else if (intent->type == INTENT_STEP || intent->type == INTENT_REBOOTED || intent->type == INTENT_COSTED) {
        show_step(engine, intent);
    } else {
        dispatch_job(engine, intent, 1, true);
    }
}

// Dispatches the intents of a call: those that are not aside are the batch of the key, in their order.
static void dispatch(Engine *engine, const IntentVec *intents) {
    Arena *arena = &engine->arena;
    IntentVec batch = {0};

    for (vec_each(const Intent, intent, intents)) {
        if (intent->aside || intent_is_aside(intent->type))
            dispatch_aside(engine, intent);
        else
            vec_push(arena, &batch, *intent);
    }
    if (!batch.count)
        return;
    CHECK(engine->call.has_key, "%s intends to %s where it only observes", engine->call.controller->name,
          intent_text(batch.items[0].type));
    dispatch_job(engine, batch.items, batch.count, false);
}

void call_end(Engine *engine, Turn *turn) {
    dispatch(engine, turn->intents);
    engine->call = (Call){0};
    arena_rewind(&engine->arena, engine->arena_start);
}

void call_observe(Engine *engine, const StateChange *change) {
    if (engine->observer.changed)
        engine->observer.changed(engine->observer.self, engine->state, change, engine->listing, engine_moment(engine));
    for (uint32_t i = 0; i < engine->config.controller_count; i++) {
        const Controller *controller = controller_at(engine, i);
        Turn turn;

        if (!controller->observe)
            continue;
        turn = call_begin(engine, i, NULL);
        controller->observe(engine->selves[i], &turn, change);
        call_end(engine, &turn);
    }
}

void call_start(Engine *engine) {
    for (uint32_t i = 0; i < engine->config.controller_count; i++) {
        const Controller *controller = controller_at(engine, i);
        Turn turn;

        if (!controller->start)
            continue;
        turn = call_begin(engine, i, NULL);
        controller->start(engine->selves[i], &turn);
        call_end(engine, &turn);
    }
}

// Reports the call to the observer, before the intents are dispatched: the State is what the controller saw.
static void show_call(Engine *engine, const Turn *turn, Mono since) {
    const EngineObserver *observer = &engine->observer;

    if (observer->called)
        observer->called(observer->self, engine->state, engine->call.controller->name, engine->call.key,
                         turn->intents->items, turn->intents->count, mono_since(clock_now(engine->config.clock), since),
                         engine_moment(engine));
}

void call_reconcile(Engine *engine, uint32_t number, Key key) {
    Mono since = engine->observer.called ? clock_now(engine->config.clock) : (Mono){0};
    Turn turn = call_begin(engine, number, &key);
    bool batch, asked_back;

    engine->call.id = ++engine->call_number;
    engine->counts.reconciles++;
    controller_at(engine, number)->reconcile(engine->selves[number], &turn, key);
    show_call(engine, &turn, since);
    asked_back = engine->call.asked_back;
    call_end(engine, &turn);
    batch = queue_is_held(engine->queue, number, key);
    if (!batch && !asked_back)
        queue_succeed(engine->queue, number, key);
}

// --- completions

static const Completion *failure_of(const EngineJob *job) {
    for (uint32_t i = 0; i < job->done; i++) {
        if (job->completions[i].code != OK)
            return &job->completions[i];
    }
    return NULL;
}

static void complete_by_rule(Engine *engine, Turn *turn, const EngineJob *job) {
    const Completion *failure = failure_of(job);

    if (!failure && job->done < job->count) {
        turn_retry(turn, job->key);
    } else if (!failure || failure->code == ERR_NOT_FOUND) {
        if (!job->aside)
            turn_succeed(turn, job->key);
    } else {
        if (failure->code != ERR_CONFLICT)
            engine_log(engine, LOG_ERROR, "Reconciler error", engine->call.controller, &job->key,
                       (Slice[]){SLICE("error"), completion_text(failure)}, 2);
        turn_retry(turn, job->key);
    }
}

void call_complete(Engine *engine, EngineJob *job) {
    const Controller *controller = controller_at(engine, job->controller);
    Turn turn = call_begin(engine, job->controller, &job->key);

    engine->call.id = job->call;
    if (controller->complete)
        controller->complete(engine->selves[job->controller], &turn, job->key, job->completions, job->done);
    else
        complete_by_rule(engine, &turn, job);
    call_end(engine, &turn);
}
