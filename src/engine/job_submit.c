// Submission of jobs: of controllers, and of the event recorder.
#include "engine/job_submit.h"

#include "engine/journal.h"

static void submit(Engine *engine, EngineJob *job) {
    engine->config.executor.submit(engine->config.executor.self, job);
}

// A call that was gathered, by its first job's time.
static void submit_gathered(Engine *engine, EngineJob *job) {
    const EngineObserver *observer = &engine->observer;

    if (observer->gathered)
        observer->gathered(observer->self, job->intents->type, job->count,
                           mono_since(engine->now, job->gathered->since), engine_moment(engine));
    submit(engine, job);
}

void jobs_submit(Engine *engine, EngineJob *job) {
    const CloudWindow *window = gather_window(cloud_windows(engine->shared->cloud), job);

    engine->counts.batches++;
    engine->counts.solves += job->type == JOB_SOLVE;
    for (uint32_t i = 0; i < job->count; i++)
        engine->counts.intents[job->intents[i].type]++;
    journal_decided(engine, job);
    if (!window)
        submit(engine, job);
    else if ((job = gather_add(engine->gather, window, job)))
        submit_gathered(engine, job);
}

bool jobs_submit_gathered(Engine *engine) {
    EngineJob *job;
    bool any = false;

    for (; (job = gather_take(engine->gather, engine->now)); any = true)
        submit_gathered(engine, job);
    return any;
}

bool jobs_write_events(Engine *engine) {
    IntentVec intents;
    EngineJob *job;

    if (!recorder_next(engine->recorder, &engine->arena, &intents))
        return false;
    job = job_new(engine->shared, engine->state, intents.items, intents.count);
    job->controller = JOB_OF_RECORDER;
    job->aside = job->goes_on = true;
    arena_rewind(&engine->arena, engine->arena_start);
    submit(engine, job);
    return true;
}
