// The thread executor: some workers for calls, one for solves, one for disruption, each group with its own queue.
#include "engine/engine.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/thread.h"
#include "engine/jitter.h"
#include "engine/job.h"

// Jobs in the order of submission; a job is its own list node (a mail that is not posted yet).
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t wakeup;
    Mail *first, **last;
    bool ends;
} WorkQueue;

struct ThreadExecutor {
    WorkQueue queues[JOB_TYPE_COUNT];
    uint32_t started;   // of `threads`
    pthread_t *threads; // the solver, the disruptor, then the workers
};

static EngineJob *next_job(WorkQueue *queue) {
    Mail *mail;

    jitter();
    pthread_mutex_lock(&queue->lock);
    while (!queue->first && !queue->ends)
        pthread_cond_wait(&queue->wakeup, &queue->lock);
    mail = queue->ends ? NULL : queue->first;
    if (mail) {
        queue->first = mail->next;
        if (!queue->first)
            queue->last = &queue->first;
    }
    pthread_mutex_unlock(&queue->lock);
    return (EngineJob *)(void *)mail;
}

static void *work(void *context) {
    WorkQueue *queue = context;
    EngineJob *job;

    while ((job = next_job(queue))) {
        engine_job_run(job);
        engine_job_done(job);
    }
    return NULL;
}

static ErrCode start(ThreadExecutor *executor, JobType type, const char *name, Err *err) {
    TRY(thread_start(&executor->threads[executor->started], name, 0, work, &executor->queues[type], err));
    executor->started++;
    return OK;
}

ErrCode thread_executor_new(uint32_t workers, ThreadExecutor **ret_executor, Err *err) {
    ThreadExecutor *executor = NEW(ThreadExecutor);
    ErrCode code;

    CHECK(workers > 0, "an executor without workers");
    executor->threads = NEW_ARRAY(pthread_t, workers + 2);
    for (int i = 0; i < JOB_TYPE_COUNT; i++) {
        WorkQueue *queue = &executor->queues[i];

        pthread_mutex_init(&queue->lock, NULL);
        pthread_cond_init(&queue->wakeup, NULL);
        queue->last = &queue->first;
    }
    code = start(executor, JOB_SOLVE, "solver", err);
    if (code == OK)
        code = start(executor, JOB_DISRUPT, "disruptor", err);
    for (uint32_t i = 0; code == OK && i < workers; i++)
        code = start(executor, JOB_CALLS, "worker", err);
    if (code == OK)
        *ret_executor = executor;
    else
        thread_executor_free(executor);
    return code;
}

static void work_queue_end(WorkQueue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->ends = true;
    pthread_cond_broadcast(&queue->wakeup);
    pthread_mutex_unlock(&queue->lock);
}

static void work_queue_drop(WorkQueue *queue) {
    while (queue->first) {
        Mail *mail = queue->first;

        queue->first = mail->next;
        engine_job_drop((EngineJob *)(void *)mail);
    }
    pthread_cond_destroy(&queue->wakeup);
    pthread_mutex_destroy(&queue->lock);
}

void thread_executor_free(ThreadExecutor *executor) {
    if (!executor)
        return;
    for (int i = 0; i < JOB_TYPE_COUNT; i++)
        work_queue_end(&executor->queues[i]);
    for (uint32_t i = 0; i < executor->started; i++)
        pthread_join(executor->threads[i], NULL);
    for (int i = 0; i < JOB_TYPE_COUNT; i++)
        work_queue_drop(&executor->queues[i]);
    free(executor->threads);
    free(executor);
}

static void submit(void *self, EngineJob *job) {
    ThreadExecutor *executor = self;
    WorkQueue *queue = &executor->queues[job->type];

    jitter();
    job->mail.next = NULL;
    pthread_mutex_lock(&queue->lock);
    *queue->last = &job->mail;
    queue->last = &job->mail.next;
    pthread_cond_signal(&queue->wakeup);
    pthread_mutex_unlock(&queue->lock);
}

Executor thread_executor(ThreadExecutor *executor) {
    return (Executor){submit, executor};
}
