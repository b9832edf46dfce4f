// One turn: mail first, then whoever's time has come.
#include "engine/engine_parts.h"

static bool take_mail(Engine *engine) {
    Mail *mail = mailbox_take(&engine->shared->mailbox);
    bool any = mail != NULL;

    while (mail) {
        Mail *next = mail->next;

        if (mail->type == MAIL_WATCH_EVENT)
            watch_event_take(engine, (WatchEvent *)(void *)mail);
        else
            jobs_take_results(engine, (EngineJob *)(void *)mail);
        mail = next;
    }
    return any;
}

// Controllers wake up when every kind was told completely, once.
static bool sync(Engine *engine) {
    if (engine->synced || !engine->started || !reflectors_are_listed(engine))
        return false;
    engine->synced = true;
    engine->listing = true;
    reflectors_observe_all(engine);
    engine->listing = false;
    call_start(engine);
    return true;
}

// Who asks for the same moment while it is served waits for the next turn, so that events come in between.
static bool reconcile_due(Engine *engine) {
    uint64_t moment = queue_moment(engine->queue);
    uint32_t count = 0, controller;
    Key key;

    if (!engine->synced)
        return false;
    while (count < RECONCILES_PER_TURN && queue_take(engine->queue, engine->monotonic_ns, moment, &controller, &key)) {
        call_reconcile(engine, controller, key);
        count++;
    }
    return count > 0;
}

bool engine_turn(Engine *engine) {
    bool any;

    CHECK(!engine->in_turn, "engine_turn is called from inside a turn");
    engine->in_turn = true;
    engine->counts.turns++;
    engine->now_ns = clock_now_ns(engine->config.clock);
    engine->monotonic_ns = clock_monotonic_ns(engine->config.clock);
    any = take_mail(engine);
    any |= engine->started && reflectors_turn(engine);
    any |= sync(engine);
    any |= reconcile_due(engine);
    any |= jobs_write_events(engine);
    if (engine->observer.turned)
        engine->observer.turned(engine->observer.self, engine, engine->state, engine->now_ns);
    engine->in_turn = false;
    return any;
}

int64_t engine_next_ns(const Engine *engine) {
    int64_t next_ns = engine->started ? reflectors_next_ns(engine) : INT64_MAX, due_ns;

    if (mailbox_depth(&engine->shared->mailbox))
        return clock_monotonic_ns(engine->config.clock);
    due_ns = engine->synced ? queue_next_ns(engine->queue) : INT64_MAX;
    return due_ns < next_ns ? due_ns : next_ns;
}
