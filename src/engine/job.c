// Life cycle of a job: made, stepped, posted, freed.
#include "engine/job.h"

#include "base/alloc.h"
#include "engine/gather/gathered_call.h"
#include "engine/intent_copy.h"
#include "engine/jitter.h"
#include "engine/job_calls.h"
#include "engine/job_disrupt.h"
#include "engine/job_solve.h"

static void discard(Mail *mail) {
    EngineJob *job = (EngineJob *)(void *)mail;

    atomic_fetch_sub(&job->shared->jobs, 1);
    job_free(job);
}

static bool is_about_claim(IntentType type) {
    return type == INTENT_LAUNCH || type == INTENT_CHECK_DRIFT || type == INTENT_TAG || type == INTENT_LEARN;
}

// Copies the claim for the worker. A claim that is gone leaves launch.claim NULL, and the step fails with
// ERR_NOT_FOUND.
static void prepare_claim(EngineJob *job, const State *state, uint32_t step) {
    const NodeClaim *claim = state_node_claim(state, job->intents[step].claim);
    CloudLaunch *launch = &job->steps[step].launch;

    if (!claim)
        return;
    launch->claim = claim_copy(&job->arena, claim);
    for (vec_each(const Expression, expression, &launch->claim->spec.requirements)) {
        Requirement requirement = requirement_make(&job->arena, job->shared->symbols, expression);

        requirements_add(&job->arena, job->shared->symbols, &launch->requirements, &requirement);
    }
}

static JobType type_of(IntentType type) {
    return type == INTENT_SOLVE ? JOB_SOLVE : type == INTENT_DISRUPT ? JOB_DISRUPT : JOB_CALLS;
}

EngineJob *job_new(EngineShared *shared, State *state, const Intent *intents, uint32_t count) {
    EngineJob *job = NEW(EngineJob);

    job->mail = (Mail){.type = MAIL_JOB, .discard = discard};
    job->shared = engine_shared_hold(shared);
    atomic_fetch_add(&shared->jobs, 1);
    job->count = count;
    job->intents = arena_array(&job->arena, Intent, count);
    job->steps = arena_array(&job->arena, JobStep, count);
    job->completions = arena_array(&job->arena, Completion, count);
    job->since = clock_now(shared->clock);
    for (uint32_t i = 0; i < count; i++) {
        job->intents[i] = intent_copy(&job->arena, &intents[i]);
        if (is_about_claim(intents[i].type))
            prepare_claim(job, state, i);
    }
    job->type = type_of(intents[0].type);
    if (job->type != JOB_CALLS) {
        CHECK(count == 1, "a %s shares its batch with %u other intents", intent_text(intents[0].type), count - 1);
        job->snapshot = state_snapshot(state);
        job->pods = state_pods_pending(state)->count;
        job->decided_ns = engine_shared_wall_ns(shared);
        job->types = cloud_types_hold(shared->cloud);
    }
    return job;
}

EngineJob *job_gather(EngineJob *first, uint32_t count) {
    EngineJob *job = NEW(EngineJob);
    uint32_t next = 0;

    job->shared = engine_shared_hold(first->shared);
    job->type = JOB_CALLS;
    job->gathered = first;
    job->count = count;
    job->intents = arena_array_raw(&job->arena, Intent, count);
    job->steps = arena_array(&job->arena, JobStep, count);
    for (const EngineJob *member = first; member; member = job_next_gathered(member))
        job->intents[next++] = *member->intents;
    CHECK(next == count, "%u jobs were gathered, not %u", next, count);
    return job;
}

void job_free(EngineJob *job) {
    EngineShared *shared = job->shared;

    for (uint32_t i = 0; i < job->count; i++) {
        for (vec_each(StateUpdate *, update, &job->steps[i].updates))
            state_update_free(*update);
    }
    if (job->snapshot)
        cloud_types_release(shared->cloud, job->types);
    snapshot_free(job->snapshot);
    arena_free(&job->arena);
    free(job);
    engine_shared_release(shared);
}

JobType engine_job_type(const EngineJob *job) {
    return job->type;
}

const Intent *engine_job_intents(const EngineJob *job, uint32_t *ret_count) {
    *ret_count = job->count;
    return job->intents;
}

uint32_t engine_job_pods(const EngineJob *job) {
    return job->pods;
}

// The step that a job is at was made.
static void end_step(EngineJob *job, Mono now) {
    Completion *completion = &job->completions[job->done];

    completion->type = job->intents[job->done].type;
    completion->tag = job->intents[job->done].tag;
    completion->took_ns = mono_since(now, job->since);
    job->since = now;
    job->done++;
    job->ended = job->done == job->count || (completion->code != OK && !job->goes_on);
}

static void call_gathered(EngineJob *job) {
    Mono now;

    gathered_call(job);
    now = clock_now(job->shared->clock);
    for (EngineJob *member = job->gathered; member; member = job_next_gathered(member))
        end_step(member, now);
    job->done = job->count;
    job->ended = true;
}

static void call_step(EngineJob *job, uint32_t step) {
    IntentType type = job->intents[step].type;

    if (type == INTENT_SOLVE)
        job_solve(job, step);
    else if (type == INTENT_DISRUPT)
        job_disrupt(job, step);
    else
        job_call(job, step);
    end_step(job, clock_now(job->shared->clock));
}

bool engine_job_step(EngineJob *job, uint32_t step) {
    jitter();
    CHECK(step == job->done && step < job->count, "step %u of a job that is at %u of %u", step, job->done, job->count);
    if (job->ended)
        return false;
    if (mailbox_is_closed(&job->shared->mailbox))
        job->ended = true;
    else if (job->gathered)
        call_gathered(job);
    else
        call_step(job, step);
    return !job->ended;
}

void engine_job_run(EngineJob *job) {
    while (job->done < job->count && engine_job_step(job, job->done)) {
    }
}

// Posts the job. Another thread may free it, and its reference to the EngineShared, as soon as it is posted. The
// time since the last step, by which an executor may have delayed its answer, is added to its took_ns.
static void post(EngineShared *shared, EngineJob *job, Mono now) {
    if (job->done)
        job->completions[job->done - 1].took_ns += mono_since(now, job->since);
    engine_shared_post(shared, &job->mail, MAIL_AT_ONCE);
}

void engine_job_done(EngineJob *job) {
    EngineShared *shared = engine_shared_hold(job->shared);
    Mono now;

    jitter();
    now = clock_now(shared->clock);
    for (EngineJob *member = job->gathered, *next; member; member = next) {
        next = job_next_gathered(member);
        post(shared, member, now);
    }
    if (job->gathered)
        job_free(job);
    else
        post(shared, job, now);
    engine_shared_release(shared);
}

void engine_job_drop(EngineJob *job) {
    for (EngineJob *member = job->gathered, *next; member; member = next) {
        next = job_next_gathered(member);
        discard(&member->mail);
    }
    if (job->gathered)
        job_free(job);
    else
        discard(&job->mail);
}
