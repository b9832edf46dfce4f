// A call: attempts until one succeeds, fails for good, or there is no time, no attempt or no quota left.
//
// Two things are mended at once, each once a call, without a wait and beside the count of attempts: a clock that is
// more than four minutes off, by the Date of the answer that says so, and credentials that have ended. EC2 has one code
// for both, RequestExpired: what is wrong shows in Date.
#include "aws/call/client_parts.h"

#define SKEW_MIN_NS (4 * NS_PER_MIN)

// --- what can be mended

// Codes that a wrong clock may have, among other reasons.
static bool may_be_skew(const AwsFault *fault) {
    return slice_eq_text(fault->code, "InvalidSignatureException") ||
           slice_eq_text(fault->code, "SignatureDoesNotMatch") || slice_eq_text(fault->code, "AuthFailure");
}

static bool is_skewed(const AwsAttempt *attempt) {
    int64_t error_ns = attempt->offset_ns - attempt->skew_ns;

    if (attempt->kind != AWS_SKEWED && !may_be_skew(&attempt->fault))
        return false;
    return attempt->has_offset && (error_ns > SKEW_MIN_NS || error_ns < -SKEW_MIN_NS);
}

static void forget_refused(AwsRun *run) {
    aws_grant_drop(run->refused);
    run->refused = NULL;
}

static bool mend_clock(AwsRun *run, const AwsAttempt *attempt) {
    if (run->has_set_clock || !is_skewed(attempt))
        return false;
    run->has_set_clock = true;
    atomic_store(&run->client->skew_ns, attempt->offset_ns);
    forget_refused(run); // its credentials were not at fault
    return true;
}

static bool renew_credentials(AwsRun *run, const AwsAttempt *attempt) {
    bool has_ended = attempt->kind == AWS_EXPIRED || slice_eq_text(attempt->fault.code, "RequestExpired");

    if (run->has_renewed || !has_ended || !run->refused)
        return false;
    run->has_renewed = true;
    return true;
}

// --- retries

static bool is_lost(const AwsAttempt *attempt) {
    return attempt->is_sent && (attempt->code == ERR_IO || attempt->code == ERR_TIMEOUT || attempt->is_unreadable);
}

// Whether an attempt that failed may have had its effect.
static bool may_be_done(const AwsAttempt *attempt) {
    return is_lost(attempt) || (attempt->is_sent && attempt->code == ERR_TOO_LARGE) || attempt->kind == AWS_TRANSIENT;
}

static bool is_retryable(const AwsAttempt *attempt) {
    return is_lost(attempt) || attempt->kind == AWS_THROTTLED || attempt->kind == AWS_TRANSIENT;
}

static uint64_t draw(AwsClient *client) {
    uint64_t random;

    pthread_mutex_lock(&client->random_lock);
    random = random_u64(&client->random);
    pthread_mutex_unlock(&client->random_lock);
    return random;
}

// Whether there is time for another attempt after a wait.
static bool has_time(const AwsRun *run, int64_t wait_ns) {
    const AwsTransport *transport = &run->client->options.transport;

    return !mono_is_set(run->options.deadline) ||
           mono_left(transport->now(transport->self).now, run->options.deadline) > wait_ns;
}

// Pays for a retry and waits. False: the call ends with what it has.
static bool retry(AwsRun *run, const AwsAttempt *attempt) {
    const AwsTransport *transport = &run->client->options.transport;
    uint32_t cost = attempt->code == ERR_TIMEOUT ? AWS_QUOTA_TIMEOUT : AWS_QUOTA_RETRY;
    uint32_t counted = run->attempts - run->mended;
    int64_t delay_ns = aws_retry_delay_ns(counted, draw(run->client));

    delay_ns = aws_retry_delay_wanted_ns(delay_ns, attempt->wanted_delay);
    if (counted >= run->attempts_max || !has_time(run, delay_ns) || !aws_quota_take(&run->client->quota, cost))
        return false;
    run->paid = cost;
    return transport->rest(transport->self, delay_ns);
}

// Whether to try again, after what has to be done first.
static bool goes_on(AwsRun *run, const AwsAttempt *attempt) {
    run->may_be_done |= may_be_done(attempt);
    if (attempt->fault.status && has_time(run, 0) && (mend_clock(run, attempt) || renew_credentials(run, attempt))) {
        run->mended++;
        return true;
    }
    return is_retryable(attempt) && retry(run, attempt);
}

// --- the end

// What a person should look at; "": the code says it.
static const char *hint_for(AwsFaultKind kind) {
    switch (kind) {
    case AWS_SKEWED:
        return "; is this machine's clock right?";
    case AWS_UNTRUSTED:
        return "; are these the right credentials, of this partition, and is this machine's clock right?";
    case AWS_EXPIRED:
        return "; new credentials were not to be had, or were refused, too";
    default:
        return "";
    }
}

static ErrCode say_fault(const AwsRun *run, const AwsAttempt *attempt, Err *err) {
    const AwsFault *fault = &attempt->fault;

    return err_set(err, aws_fault_kind_error(attempt->kind),
                   "%s %s: %.*s: %.*s (status %d, request %.*s, attempt %u)%s", run->operation->service->id,
                   run->operation->name, fault->code.len ? (int)fault->code.len : (int)sizeof "no code" - 1,
                   fault->code.len ? fault->code.ptr : "no code",
                   SLICE_ARG(slice_first(fault->message, ERR_TEXT_MAX / 2)), fault->status,
                   SLICE_ARG(fault->request_id), run->attempts, hint_for(attempt->kind));
}

static ErrCode conclude(const AwsRun *run, const AwsAttempt *attempt, AwsOutcome *ret_outcome, Err *err) {
    ErrCode code = attempt->code == OK ? aws_fault_kind_error(attempt->kind) : attempt->code;

    if (code == OK)
        aws_quota_give(&run->client->quota, run->paid);
    else if (attempt->code == OK)
        (void)say_fault(run, attempt, err);
    if (ret_outcome)
        *ret_outcome = (AwsOutcome){.kind = attempt->code == OK ? attempt->kind : AWS_OTHER,
                                    .fault = attempt->fault,
                                    .attempts = run->attempts,
                                    .may_be_done = code != OK && run->may_be_done};
    return code;
}

static void report(const AwsRun *run, const AwsAttempt *attempt, Mono begun) {
    const AwsClientOptions *options = &run->client->options;
    const AwsReport of_call = {
        .operation = run->operation,
        .code = attempt->fault.code,
        .status = attempt->code != OK     ? 0
                  : attempt->fault.status ? attempt->fault.status
                                          : 200,
        .took_ns = mono_since(options->transport.now(options->transport.self).now, begun),
        .attempts = run->attempts,
    };

    if (options->observer.call)
        options->observer.call(options->observer.context, &of_call);
}

// Attempts, until `attempt` is the last.
static void try_until_the_end(AwsRun *run, Arena *arena, void *output, AwsAttempt *ret_last, Err *err) {
    ArenaMark begin = arena_mark(arena);

    for (;;) {
        aws_attempt(run, arena, output, ret_last, err);
        if (!goes_on(run, ret_last))
            break;
        arena_rewind(arena, begin);
    }
}

ErrCode aws_call(AwsClient *client, Arena *arena, const AwsOperation *operation, const void *input,
                 const AwsCallOptions *options, void *output, AwsOutcome *ret_outcome, Err *err) {
    AwsRun run = {.client = client, .operation = operation, .attempts_max = client->options.attempts_max};
    Mono begun = client->options.transport.now(client->options.transport.self).now;
    AwsAttempt last = {0};
    ErrCode code;

    if (options)
        run.options = *options;
    if (run.options.attempts_max)
        run.attempts_max = run.options.attempts_max;
    if (!has_time(&run, 0)) {
        last.code =
            err_set(err, ERR_TIMEOUT, "%s %s: no time was left for it", operation->service->id, operation->name);
    } else {
        last.code = aws_write(&run.scratch, operation, input, &run.message, err);
        if (last.code == OK)
            try_until_the_end(&run, arena, output, &last, err);
    }
    code = conclude(&run, &last, ret_outcome, err);
    report(&run, &last, begun);
    aws_grant_drop(run.refused);
    arena_wipe(&run.scratch); // a token of an identity may have been in it
    return code;
}
