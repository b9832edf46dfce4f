// The thread executor: some workers for calls, one for solves, each group with its own line.
#include "engine/engine.h"

#include "base/check.h"
#include "base/thread.h"
#include "engine/jitter.h"
#include "engine/job.h"

#include <stdlib.h>

// Jobs wait in the order of submission; a job is its own link (a mail that is not posted yet).
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t news;
    Mail *first, **last;
    bool ends;
} Line;

struct ThreadExecutor {
    Line lines[2];      // by JobType
    uint32_t started;   // of `threads`
    pthread_t *threads; // the solver, then the workers
};

static EngineJob *next_job(Line *line) {
    Mail *mail;

    jitter();
    pthread_mutex_lock(&line->lock);
    while (!line->first && !line->ends)
        pthread_cond_wait(&line->news, &line->lock);
    mail = line->ends ? NULL : line->first;
    if (mail) {
        line->first = mail->next;
        if (!line->first)
            line->last = &line->first;
    }
    pthread_mutex_unlock(&line->lock);
    return (EngineJob *)(void *)mail;
}

static void *work(void *context) {
    Line *line = context;
    EngineJob *job;

    while ((job = next_job(line))) {
        engine_job_run(job);
        engine_job_done(job);
    }
    return NULL;
}

static ErrCode start(ThreadExecutor *executor, JobType type, const char *name, Err *err) {
    TRY(thread_start(&executor->threads[executor->started], name, 0, work, &executor->lines[type], err));
    executor->started++;
    return OK;
}

ErrCode thread_executor_new(uint32_t workers, ThreadExecutor **ret_executor, Err *err) {
    ThreadExecutor *executor = calloc(1, sizeof *executor);
    ErrCode code;

    CHECK(executor && workers > 0, "an executor with %u workers", workers);
    executor->threads = calloc(workers + 1, sizeof *executor->threads);
    CHECK(executor->threads, "no memory for %u threads", workers);
    for (int i = 0; i < 2; i++) {
        Line *line = &executor->lines[i];

        pthread_mutex_init(&line->lock, NULL);
        pthread_cond_init(&line->news, NULL);
        line->last = &line->first;
    }
    code = start(executor, JOB_SOLVE, "solver", err);
    for (uint32_t i = 0; code == OK && i < workers; i++)
        code = start(executor, JOB_CALLS, "worker", err);
    if (code == OK)
        *ret_executor = executor;
    else
        thread_executor_free(executor);
    return code;
}

static void line_end(Line *line) {
    pthread_mutex_lock(&line->lock);
    line->ends = true;
    pthread_cond_broadcast(&line->news);
    pthread_mutex_unlock(&line->lock);
}

static void line_drop(Line *line) {
    while (line->first) {
        Mail *mail = line->first;

        line->first = mail->next;
        engine_job_drop((EngineJob *)(void *)mail);
    }
    pthread_cond_destroy(&line->news);
    pthread_mutex_destroy(&line->lock);
}

void thread_executor_free(ThreadExecutor *executor) {
    if (!executor)
        return;
    for (int i = 0; i < 2; i++)
        line_end(&executor->lines[i]);
    for (uint32_t i = 0; i < executor->started; i++)
        pthread_join(executor->threads[i], NULL);
    for (int i = 0; i < 2; i++)
        line_drop(&executor->lines[i]);
    free(executor->threads);
    free(executor);
}

static void submit(void *self, EngineJob *job) {
    ThreadExecutor *executor = self;
    Line *line = &executor->lines[job->type];

    jitter();
    job->mail.next = NULL;
    pthread_mutex_lock(&line->lock);
    *line->last = &job->mail;
    line->last = &job->mail.next;
    pthread_cond_signal(&line->news);
    pthread_mutex_unlock(&line->lock);
}

Executor thread_executor(ThreadExecutor *executor) {
    return (Executor){submit, executor};
}
