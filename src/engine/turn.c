// One turn of the engine: mail first, then watches, keys that are due, calls that were gathered, and events.
#include "engine/call.h"
#include "engine/job_results.h"
#include "engine/job_submit.h"
#include "engine/skew.h"
#include "engine/watch/watch_events.h"

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

// Lets the controllers start, once every kind is listed.
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

// Reconciles keys that are due. A key enqueued meanwhile waits for the next turn, so that events are handled in
// between.
static bool reconcile_due(Engine *engine) {
    uint64_t moment = queue_moment(engine->queue);
    uint32_t count = 0, controller;
    Key key;

    if (!engine->synced)
        return false;
    while (count < RECONCILES_PER_TURN && queue_take(engine->queue, engine->now.ns, moment, &controller, &key)) {
        call_reconcile(engine, controller, key);
        count++;
    }
    return count > 0;
}

bool engine_turn(Engine *engine) {
    uint64_t types = cloud_types_hold(engine->shared->cloud);
    bool any;

    CHECK(!engine->in_turn, "engine_turn is called from inside a turn");
    engine->in_turn = true;
    engine->counts.turns++;
    engine_read_clocks(engine);
    any = take_mail(engine);
    any |= engine->started && reflectors_turn(engine);
    any |= sync(engine);
    any |= reconcile_due(engine);
    any |= jobs_submit_gathered(engine); // after whatever has come at this moment
    any |= jobs_write_events(engine);
    if (engine->observer.turned)
        engine->observer.turned(engine->observer.self, engine, engine->state, engine_moment(engine));
    engine->in_turn = false;
    cloud_types_release(engine->shared->cloud, types);
    return any;
}

Mono engine_next(const Engine *engine) {
    Mono next = gather_next(engine->gather);

    if (mailbox_depth(&engine->shared->mailbox))
        return clock_now(engine->config.clock);
    if (engine->started)
        next = mono_first(next, reflectors_next(engine));
    return engine->synced ? mono_first(next, (Mono){queue_next_ns(engine->queue)}) : next;
}
