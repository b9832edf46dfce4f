// Jobs: pods until enough of them have succeeded.
//
// Successes and failures are counted as they happen; each event of a pod is seen once, so exact counts need no
// finalizers. A pod that is deleted before it has ended is a failure, as in the real controller, unless the Job deleted
// it.
#include "base/alloc.h"
#include "sim/workloads/pod_ranks.h"
#include "sim/workloads/records.h"
#include "sim/workloads/template.h"
#include "sim/workloads/writing.h"

enum { BURST = 500, BACKOFF_FIRST_S = 10, BACKOFF_MAX_S = 600 };

static const Value *find_condition(const SimWorkload *job, const char *type) {
    const ValueList *conditions = read_list(value_get_text(&job->object, "status"), "conditions");

    for (vec_each(const Value, condition, conditions)) {
        if (slice_eq_text(kube_text(condition, "type", NULL), type))
            return condition;
    }
    return NULL;
}

static bool has_condition(const SimWorkload *job, const char *type) {
    return slice_eq_text(kube_text(find_condition(job, type), "status", NULL), "True");
}

// Grows the bit set: completions of an indexed Job may grow.
static void make_bits(JobPart *part) {
    size_t words = (size_t)part->completions / 64 + 1;

    if (words <= part->done_words)
        return;
    RESIZE(part->done, words);
    memset(part->done + part->done_words, 0, (words - part->done_words) * sizeof *part->done);
    part->done_words = words;
}

static void read_job(SimWorkload *job) {
    const Value *spec = workload_spec(job);
    JobPart *part = &job->job;

    part->completions = read_int(spec, "completions", -1);
    part->parallelism = read_int(spec, "parallelism", 1);
    part->backoff_limit = read_int(spec, "backoffLimit", 6);
    part->ttl_s = read_int(spec, "ttlSecondsAfterFinished", -1);
    part->deadline_s = read_int(spec, "activeDeadlineSeconds", -1);
    part->indexed = slice_eq_text(kube_text(spec, "completionMode", NULL), "Indexed") && part->completions >= 0;
    part->suspended = read_bool(spec, "suspend");
    if (part->indexed)
        make_bits(part);
    if (!part->finished && (has_condition(job, "Complete") || has_condition(job, "Failed"))) {
        part->finished = true;
        part->finished_ns = workload_now(job);
    }
}

// Counting.

static int64_t index_of(const SimWorkload *job, const Pod *pod) {
    Symbols *symbols = job->workloads->symbols;
    Symbol value = labels_get(&pod->labels, symbol_intern(symbols, SLICE("batch.kubernetes.io/job-completion-index")));
    int64_t index;

    return value != INDEX_NONE && slice_to_int64(symbol_text(symbols, value), &index) && index >= 0 &&
                   index < job->job.completions
               ? index
               : -1;
}

static bool bit(const uint64_t *bits, int64_t index) {
    return bits[index / 64] >> (index % 64) & 1;
}

static void count_success(SimWorkload *job, const Pod *pod) {
    JobPart *part = &job->job;
    int64_t index = part->indexed ? index_of(job, pod) : -1;

    part->failures_in_row = 0;
    if (!part->indexed) {
        part->succeeded++;
    } else if (index >= 0 && !bit(part->done, index)) {
        part->done[index / 64] |= UINT64_C(1) << (index % 64);
        part->succeeded++;
    }
}

static void count_failure(SimWorkload *job) {
    job->job.failed++;
    job->job.failures_in_row++;
    job->job.last_failure_ns = workload_now(job);
}

static void observe_pod(SimWorkload *job, const StateChange *change) {
    const Pod *before = change->before, *after = change->after;
    bool was_over = before && (before->deleting || pod_is_terminal(before));

    if (after && after->phase == POD_SUCCEEDED && !was_over)
        count_success(job, after);
    else if (after && after->phase == POD_FAILED && !was_over)
        count_failure(job);
    else if (before && !was_over && (!after || after->deleting)) {
        if (job->job.own_deletes)
            job->job.own_deletes--;
        else
            count_failure(job);
    }
}

// Creating and deleting pods.

static void delete_active(SimWorkload *job, int64_t count) {
    HandleVec pods = {0};

    if (count <= 0)
        return;
    workload_rank_pods(job, &job->workloads->scratch, &pods);
    for (uint32_t i = 0; i < pods.count && i < count; i++) {
        uint32_t before = job->expected_deletes;

        workload_delete_pod(job, pods.items[i]);
        job->job.own_deletes += job->expected_deletes - before;
    }
}

static Value describe_pod(const SimWorkload *job, Arena *arena, int64_t index) {
    const Value *template = value_get_text(workload_spec(job), "template");
    Value pod = workload_template_pod(job, arena, template), *meta = value_find_text(&pod, "metadata");
    Slice name = workload_name(job), number = arena_printf(arena, "%lld", (long long)index);

    if (index < 0) {
        put_text(arena, meta, "generateName", arena_printf(arena, "%.*s-", SLICE_ARG(name)));
        return pod;
    }
    put_text(arena, meta, "generateName", arena_printf(arena, "%.*s-%.*s-", SLICE_ARG(name), SLICE_ARG(number)));
    put_text(arena, value_make(arena, meta, "labels", NULL), "batch.kubernetes.io/job-completion-index", number);
    put_text(arena, value_make(arena, meta, "annotations", NULL), "batch.kubernetes.io/job-completion-index", number);
    return pod;
}

static bool create_pod(SimWorkload *job, int64_t index) {
    Arena *arena = &job->workloads->scratch;
    ArenaMark mark = arena_mark(arena);
    Value pod = describe_pod(job, arena, index);
    bool done = workload_create_pod(job, &pod, NULL) == OK;

    arena_rewind(arena, mark);
    return done;
}

// Creates pods for the lowest indexes that have neither succeeded nor a pod.
static void create_indexed(SimWorkload *job, int64_t count) {
    Arena *arena = &job->workloads->scratch;
    uint64_t *busy = arena_array(arena, uint64_t, (size_t)job->job.completions / 64 + 1);

    for (vec_each(const Handle, handle, workload_pods(job))) {
        const Pod *pod = workload_pod(job, *handle);
        int64_t index = index_of(job, pod);

        if (index >= 0 && sim_pod_is_active(pod))
            busy[index / 64] |= UINT64_C(1) << (index % 64);
    }
    for (int64_t index = 0; index < job->job.completions && count > 0; index++) {
        if (bit(job->job.done, index) || bit(busy, index))
            continue;
        if (!create_pod(job, index))
            return;
        count--;
    }
    workload_succeeded(job);
}

static void create_pods(SimWorkload *job, int64_t count) {
    if (count > BURST)
        count = BURST;
    if (job->job.indexed) {
        create_indexed(job, count);
        return;
    }
    while (count-- > 0) {
        if (!create_pod(job, -1))
            return;
    }
    workload_succeeded(job);
}

// Whether to wait: after failures new pods are created with growing delays.
static bool must_wait(SimWorkload *job) {
    const JobPart *part = &job->job;
    uint32_t doublings = part->failures_in_row - 1;
    int64_t wait_s, until;

    if (part->failures_in_row == 0)
        return false;
    wait_s = doublings < 6 ? (int64_t)BACKOFF_FIRST_S << doublings : BACKOFF_MAX_S;
    until = part->last_failure_ns + (wait_s < BACKOFF_MAX_S ? wait_s : BACKOFF_MAX_S) * NS_PER_S;
    if (workload_now(job) >= until)
        return false;
    workload_wake(job, &job->job.timer, until);
    return true;
}

static void manage(SimWorkload *job) {
    const JobPart *part = &job->job;
    int64_t active = job->pods.active, wanted = part->parallelism;

    if (part->completions < 0 && part->succeeded > 0)
        wanted = active < wanted ? active : wanted;
    if (part->completions >= 0 && wanted > part->completions - (int64_t)part->succeeded)
        wanted = part->completions - (int64_t)part->succeeded;
    if (active > wanted)
        delete_active(job, active - wanted);
    else if (active < wanted && !must_wait(job))
        create_pods(job, wanted - active);
}

// The end.

static void judge(SimWorkload *job) {
    JobPart *part = &job->job;
    int64_t deadline = part->started_ns + part->deadline_s * NS_PER_S;

    if (part->failing || part->complete)
        return;
    part->complete =
        part->completions >= 0 ? part->succeeded >= part->completions : part->succeeded > 0 && job->pods.active == 0;
    if (part->complete)
        return;
    if (part->failed > part->backoff_limit) {
        part->failing = true;
        part->reason = "BackoffLimitExceeded";
    } else if (part->deadline_s >= 0 && workload_now(job) >= deadline) {
        part->failing = true;
        part->reason = "DeadlineExceeded";
    } else if (part->deadline_s >= 0) {
        workload_wake(job, &part->deadline, deadline);
    }
}

static void finish(SimWorkload *job) {
    delete_active(job, job->pods.active);
    if (workload_is_waiting(job) || job->pods.active || job->pods.terminating)
        return;
    job->job.finished = true;
    job->job.finished_ns = workload_now(job);
    workload_due(job);
}

static void ring_ttl(void *context) {
    workload_delete(context);
}

static void forget_after_ttl(SimWorkload *job) {
    JobPart *part = &job->job;

    if (part->ttl_s < 0 || part->ttl)
        return;
    part->ttl = world_alarm(job->workloads->world, part->finished_ns + part->ttl_s * NS_PER_S, ring_ttl, job);
}

static void run(SimWorkload *job) {
    JobPart *part = &job->job;

    if (part->suspended) {
        if (!workload_is_waiting(job))
            delete_active(job, job->pods.active);
        part->started_ns = 0;
        return;
    }
    if (!part->started_ns)
        part->started_ns = workload_now(job);
    judge(job);
    if (workload_is_waiting(job))
        return;
    if (part->failing || part->complete)
        finish(job);
    else
        manage(job);
}

static void sync_job(SimWorkload *job) {
    if (!job->deleting) {
        if (job->job.finished)
            forget_after_ttl(job);
        else
            run(job);
    }
    workload_write_status(job);
}

// Status.

static void add_end(SimWorkload *job, Arena *arena, Value *conditions, bool complete, const char *type) {
    const char *reason = complete ? "CompletionsReached" : job->job.reason;
    const char *message = complete ? "Reached expected number of succeeded pods"
                          : slice_eq_text(slice_of(reason), "DeadlineExceeded")
                              ? "Job was active longer than specified deadline"
                              : "Job has reached the specified backoff limit";

    workload_keep_condition(job, arena, conditions, type, "True", reason, message);
}

static void add_conditions(SimWorkload *job, Arena *arena, Value *status) {
    const JobPart *part = &job->job;
    bool was_suspended = find_condition(job, "Suspended") != NULL;
    Value *conditions;

    if (!part->failing && !part->complete && !part->suspended && !was_suspended)
        return;
    conditions = put_list(arena, status, "conditions");
    if (part->suspended)
        workload_keep_condition(job, arena, conditions, "Suspended", "True", "JobSuspended", "Job suspended");
    else if (was_suspended)
        workload_keep_condition(job, arena, conditions, "Suspended", "False", "JobResumed", "Job resumed");
    if (part->complete)
        add_end(job, arena, conditions, true, "SuccessCriteriaMet");
    if (part->failing)
        add_end(job, arena, conditions, false, "FailureTarget");
    if (part->finished && part->complete)
        add_end(job, arena, conditions, true, "Complete");
    if (part->finished && part->failing)
        add_end(job, arena, conditions, false, "Failed");
}

static void status_of_job(SimWorkload *job, Arena *arena, Value *status) {
    const JobPart *part = &job->job;

    workload_put_count(arena, status, "active", job->pods.active);
    workload_put_count(arena, status, "ready", job->pods.ready);
    workload_put_count(arena, status, "terminating", job->pods.terminating);
    workload_put_count(arena, status, "succeeded", part->succeeded);
    workload_put_count(arena, status, "failed", part->failed);
    if (part->started_ns)
        put_time(arena, status, "startTime", part->started_ns);
    if (part->finished && part->complete)
        put_time(arena, status, "completionTime", part->finished_ns);
    if (!part->finished || part->complete || part->failing)
        add_conditions(job, arena, status);
}

static void free_job(SimWorkload *job) {
    Alarm alarms[] = {job->job.timer, job->job.deadline, job->job.ttl};

    for (size_t i = 0; i < sizeof alarms / sizeof *alarms; i++)
        world_cancel(job->workloads->world, alarms[i]);
    free(job->job.done);
}

const SimWorkloadKind job_kind = {KUBE_JOB, read_job, sync_job, status_of_job, observe_pod, free_job};
