// Results of jobs: applied to the State, then passed to the controller.
#include "engine/job_results.h"

#include "engine/call.h"
#include "engine/journal.h"

// Applies an object that was written or read to the State, so that the next call of a controller sees it; the watch's
// event of it then changes nothing.
static void apply_answer(Engine *engine, EngineJob *job, uint32_t step) {
    StateChange change;

    if (job->steps[step].unreadable)
        engine_log(engine, LOG_ERROR, "object cannot be read", engine->config.controllers[job->controller], &job->key,
                   (Slice[]){SLICE("error"), slice_of(job->steps[step].unreadable->text)}, 2);
    for (vec_each(StateUpdate *, update, &job->steps[step].updates)) {
        if (state_apply(engine->state, *update, false, &change))
            call_observe(engine, &change);
    }
    job->steps[step].updates.count = 0;
}

static void count_results(Engine *engine, const EngineJob *job) {
    for (uint32_t i = 0; i < job->done; i++) {
        engine->counts.failures += job->completions[i].code != OK;
        if (job->completions[i].type == INTENT_SOLVE)
            engine->counts.solve_ns_total += job->completions[i].took_ns;
    }
}

void jobs_take_results(Engine *engine, EngineJob *job) {
    for (uint32_t i = 0; i < job->done; i++)
        apply_answer(engine, job, i);
    if (job->controller == JOB_OF_RECORDER) {
        recorder_take_result(engine->recorder, job->completions, job->done);
    } else {
        count_results(engine, job);
        if (engine->observer.told)
            engine->observer.told(engine->observer.self, engine->state,
                                  engine->config.controllers[job->controller]->name, job->key, job->intents,
                                  job->completions, job->done, engine_moment(engine));
        journal_results(engine, job);
        if (!job->aside)
            queue_release(engine->queue, job->controller, job->key);
        call_complete(engine, job);
    }
    job->mail.discard(&job->mail);
}
