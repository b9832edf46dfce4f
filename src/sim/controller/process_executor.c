// Jobs at virtual times: each call takes its time, and has its effect in the middle of it.
//
// A solve is computed on its snapshot at once and answered later; it has a thread of its own. Calls share the workers.
#include "sim/controller/process_executor.h"

#include "base/alloc.h"
#include "sim/controller/process_wire.h"

typedef enum {
    AT_CALL,   // on its way to the server
    AT_ANSWER, // the answer is on its way
} Stage;

// The moment of a job at which the process dies, if it does.
typedef enum { DEATH_NONE, DEATH_BEFORE_CALL, DEATH_BEFORE_ANSWER, DEATH_AFTER_ANSWER, DEATHS } Death;

struct SimJob {
    SimProcess *process;
    EngineJob *job;
    SimJob *next, **link; // running; waiting: next only
    uint32_t step;
    bool goes_on;      // the batch goes on after the step
    bool is_on_strand; // the step is a call of AWS: it takes the time that it takes
    Stage stage;
    Death death;
    int64_t answer_ns;
    Alarm alarm;
};

static const int64_t SOLVE_NS = 5000000, SOLVE_POD_NS = 2000;

static void ring(void *context);

// --- lists

static void run(SimJob *job) {
    Life *life = &job->process->life;

    job->next = life->running;
    job->link = &life->running;
    if (job->next)
        job->next->link = &job->next;
    life->running = job;
}

static void leave(SimJob *job) {
    Life *life = &job->process->life;

    *job->link = job->next;
    if (job->next)
        job->next->link = job->link;
    life->workers_busy -= engine_job_type(job->job) == JOB_CALLS;
}

// --- calls

static const char *cloud_call(IntentType type) {
    switch (type) {
    case INTENT_LAUNCH:
        return "launch";
    case INTENT_TERMINATE:
        return "terminate";
    case INTENT_REBOOT:
        return "reboot";
    case INTENT_GET_INSTANCE:
        return "get";
    case INTENT_LIST_INSTANCES:
        return "list";
    case INTENT_RECEIVE:
        return "receive";
    case INTENT_SETTLE:
        return "settle";
    case INTENT_CHECK_DRIFT:
        return "is_drifted";
    case INTENT_TAG:
    case INTENT_LEARN:
        return "tag";
    case INTENT_RESOLVE_CLASS:
    case INTENT_FINALIZE_CLASS:
    case INTENT_REFRESH:
        return "list";
    default:
        return NULL;
    }
}

static int64_t draw_latency(SimProcess *process, IntentType type) {
    const char *call = cloud_call(type);

    if (call)
        return sim_cloud_latency_ns(process->cloud, call);
    return 2 * NS_PER_MS + random_below(&process->latency, 18 * NS_PER_MS);
}

// Draws whether the process dies at this intent, and at which moment of it.
static Death draw_death(SimProcess *process) {
    if (!process->kill_in || --process->kill_in)
        return DEATH_NONE;
    return DEATH_BEFORE_CALL + random_below(&process->moments, DEATHS - 1);
}

static void begin_step(SimJob *job) {
    SimProcess *process = job->process;
    uint32_t count;
    const Intent *intents = engine_job_intents(job->job, &count);
    IntentType type = intents[job->step].type;
    int64_t now_ns = world_now_ns(process->world), latency_ns;

    job->is_on_strand = process->strands && cloud_call(type);
    latency_ns = job->is_on_strand ? 0 : draw_latency(process, type);
    job->stage = AT_CALL;
    job->death = draw_death(process);
    job->answer_ns = now_ns + latency_ns;
    job->alarm = world_alarm(process->world, now_ns + latency_ns / 2, ring, job);
}

static void call(SimJob *job) {
    SimProcess *process = job->process;

    process->late_ns = 0;
    job->goes_on = engine_job_step(job->job, job->step++);
    job->answer_ns += process->late_ns;
    job->stage = AT_ANSWER;
}

// --- solves

static void begin_solve(SimJob *job) {
    SimProcess *process = job->process;
    int64_t now_ns = world_now_ns(process->world);
    int64_t takes_ns = SOLVE_NS + SOLVE_POD_NS * engine_job_pods(job->job);

    job->death = draw_death(process);
    call(job);
    if (job->death)
        takes_ns = random_below(&process->moments, (uint32_t)takes_ns);
    job->alarm = world_alarm(process->world, now_ns + takes_ns, ring, job);
}

// --- all jobs

// A job of the planner's: it makes no calls, and has a thread of its own.
static bool is_solve(const EngineJob *job) {
    return engine_job_type(job) != JOB_CALLS;
}

static void begin(SimJob *job) {
    run(job);
    if (is_solve(job->job)) {
        begin_solve(job);
    } else {
        job->process->life.workers_busy++;
        begin_step(job);
    }
}

static uint32_t workers(const SimProcess *process) {
    return process->config.workers ? process->config.workers : 100;
}

static void begin_waiting(SimProcess *process) {
    Life *life = &process->life;

    while (life->waiting && life->workers_busy < workers(process)) {
        SimJob *job = life->waiting;

        life->waiting = job->next;
        if (!life->waiting)
            life->last_waiting = &life->waiting;
        begin(job);
    }
}

static void end(SimJob *job) {
    SimProcess *process = job->process;

    leave(job);
    engine_job_done(job->job);
    free(job);
    begin_waiting(process);
}

static void answer(SimJob *job) {
    SimProcess *process = job->process;
    bool dies = job->death == DEATH_AFTER_ANSWER;

    if (job->goes_on && !dies)
        begin_step(job);
    else if (!job->goes_on)
        end(job);
    if (dies)
        process_die(process); // between two intents, or with the answer in the mailbox
}

static void call_on_strand(void *context) {
    SimJob *job = context;

    job->goes_on = engine_job_step(job->job, job->step++);
    job->stage = AT_ANSWER;
}

static void answer_of_strand(void *context) {
    answer(context);
}

// A death is left to the calls of the step, or of other steps.
static void begin_strand(SimJob *job) {
    SimProcess *process = job->process;

    if (job->death)
        process_wire_doom(process);
    job->death = DEATH_NONE;
    strands_begin(process->strands, call_on_strand, answer_of_strand, job);
}

static void ring(void *context) {
    SimJob *job = context;
    SimProcess *process = job->process;

    job->alarm = 0;
    if (is_solve(job->job) && job->death)
        return process_die(process);
    if (job->is_on_strand)
        return begin_strand(job);
    if (job->stage == AT_ANSWER)
        return job->death == DEATH_BEFORE_ANSWER ? process_die(process) : answer(job);
    if (job->death == DEATH_BEFORE_CALL) {
        job->stage = AT_ANSWER; // it was never sent
        return process_die(process);
    }
    call(job);
    job->alarm = world_alarm(process->world, job->answer_ns, ring, job);
}

static void submit(void *self, EngineJob *engine_job) {
    SimProcess *process = self;
    Life *life = &process->life;
    SimJob *job = NEW(SimJob);

    job->process = process;
    job->job = engine_job;
    if (is_solve(engine_job))
        return begin(job);
    *life->last_waiting = job;
    life->last_waiting = &job->next;
    begin_waiting(process);
}

Executor process_executor(SimProcess *process) {
    process->life.last_waiting = &process->life.waiting;
    return (Executor){submit, process};
}

static void drop(SimJob *job) {
    world_cancel(job->process->world, job->alarm);
    engine_job_drop(job->job);
    free(job);
}

void process_drop_jobs(SimProcess *process) {
    Life *life = &process->life;
    SimJob *next;

    if (process->strands)
        strands_hurry(process->strands);
    for (SimJob *job = life->running; job; job = job->next) {
        if (job->stage == AT_CALL && !job->is_on_strand && random_chance(&process->moments, 50))
            call(job);
    }
    for (SimJob *job = life->running; job; job = next) {
        next = job->next;
        drop(job);
    }
    for (SimJob *job = life->waiting; job; job = next) {
        next = job->next;
        drop(job);
    }
    life->running = life->waiting = NULL;
    life->last_waiting = &life->waiting;
    life->workers_busy = 0;
}
