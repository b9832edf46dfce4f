// Submission of jobs: of controllers, and of the event recorder.
#include "engine/job_submit.h"

#include "engine/journal.h"

void jobs_submit(Engine *engine, EngineJob *job) {
    engine->counts.batches++;
    engine->counts.solves += job->type == JOB_SOLVE;
    for (uint32_t i = 0; i < job->count; i++)
        engine->counts.intents[job->intents[i].type]++;
    journal_decided(engine, job);
    engine->config.executor.submit(engine->config.executor.self, job);
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
    engine->config.executor.submit(engine->config.executor.self, job);
    return true;
}
