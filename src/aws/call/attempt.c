// One attempt of a call: its turn, endpoint, credentials, signature, and the answer.
#include "aws/call/client_parts.h"
#include "aws/endpoint/endpoint.h"
#include "aws/protocol/time.h"

enum { HEADERS_MAX = AWS_HEADERS_MAX + AWS_SIGNATURE_HEADERS_MAX + 1 };

static AwsTransport *transport_of(const AwsRun *run) {
    return &run->client->options.transport;
}

static Moment now_of(const AwsRun *run) {
    return transport_of(run)->now(transport_of(run)->self);
}

static ErrCode stopped(const AwsRun *run, Err *err) {
    return err_set(err, ERR_IO, "%s %s: stopped", run->operation->service->id, run->operation->name);
}

// Waits for the operation's turn.
static ErrCode await_turn(const AwsRun *run, Err *err) {
    Moment moment = now_of(run);
    int64_t wait_ns = aws_pacer_reserve(run->client->pacer, run->operation, moment.now);

    if (mono_is_set(run->options.deadline) && wait_ns > mono_left(moment.now, run->options.deadline))
        return err_set(err, ERR_TIMEOUT, "%s %s: too many such calls for its turn to come in time",
                       run->operation->service->id, run->operation->name);
    if (!transport_of(run)->rest(transport_of(run)->self, wait_ns))
        return stopped(run, err);
    return OK;
}

static ErrCode find_endpoint(const AwsRun *run, Arena *scratch, AwsEndpoint *ret_endpoint, Err *err) {
    const AwsClientOptions *client = &run->client->options;
    AwsEndpointOptions options = {
        .region = aws_service_region(run->operation->service, client->region),
        .use_fips = client->use_fips,
        .use_dual_stack = client->use_dual_stack,
    };

    for (uint32_t i = 0; i < client->url_count && !options.url.len; i++) {
        if (!strcmp(client->urls[i].service, run->operation->service->id))
            options.url = client->urls[i].url;
    }
    return aws_endpoint_find(scratch, run->operation->service, &options, ret_endpoint, err);
}

// A request being made.
typedef struct {
    HttpHeader headers[HEADERS_MAX];
    uint32_t count;
    AwsRequest request;
} Draft;

static void add(Draft *draft, const HttpHeader *headers, uint32_t count) {
    memcpy(draft->headers + draft->count, headers, count * sizeof *headers);
    draft->count += count;
}

static void sign_draft(const AwsRun *run, Arena *scratch, const AwsEndpoint *endpoint, const AwsGrant *grant,
                       int64_t wall_ns, Draft *draft) {
    const AwsSignable signable = {
        .method = run->message.method,
        .host = endpoint->host,
        .path = arena_printf(scratch, "%.*s%.*s", SLICE_ARG(endpoint->path), SLICE_ARG(run->message.path)),
        .headers = draft->headers,
        .header_count = draft->count,
        .body = run->message.body,
        .region = endpoint->signing_region,
        .service = slice_of(run->operation->service->signing_name),
        .wall_ns = wall_ns,
    };
    AwsSignature signature;

    aws_sign(run->client->signer, scratch, aws_grant_keys(grant), &signable, &signature);
    add(draft, signature.headers, signature.header_count);
}

static int64_t timeout_of(const AwsRun *run, Mono now) {
    int64_t timeout_ns = run->client->options.timeout_ns;
    int64_t left_ns = mono_is_set(run->options.deadline) ? mono_left(now, run->options.deadline) : timeout_ns;

    timeout_ns = left_ns < timeout_ns ? left_ns : timeout_ns;
    return timeout_ns > NS_PER_MS ? timeout_ns : NS_PER_MS; // 0 would be without end
}

// `grant` NULL: not signed.
static void draft_request(const AwsRun *run, Arena *scratch, const AwsEndpoint *endpoint, const AwsGrant *grant,
                          int64_t skew_ns, Draft *draft) {
    Moment moment = now_of(run);
    HttpHeader attempt = {SLICE("Amz-Sdk-Request"),
                          arena_printf(scratch, "attempt=%u; max=%u", run->attempts + 1, run->attempts_max)};

    add(draft, run->message.headers, run->message.header_count);
    add(draft, &attempt, 1);
    if (grant)
        sign_draft(run, scratch, endpoint, grant, moment.wall_ns + skew_ns, draft);
    draft->request = (AwsRequest){
        .method = run->message.method,
        .url = arena_printf(scratch, "%.*s%.*s", SLICE_ARG(endpoint->url), SLICE_ARG(run->message.path)),
        .headers = draft->headers,
        .header_count = draft->count,
        .has_body = strcmp(run->message.method, "GET") != 0,
        .body = run->message.body,
        .is_change = run->operation->is_change,
        .timeout_ns = timeout_of(run, moment.now),
    };
}

// Compares the answer's Date with this machine's clock. Date is the second in which the answer was made.
static void note_date(const AwsRun *run, const AwsAnswer *answer, AwsAttempt *attempt) {
    Slice date = aws_answer_header(answer, "Date");
    AwsTime time = {0};

    if (!date.len || aws_time_read(date, &time, NULL) != OK || !time.has)
        return;
    attempt->has_offset = true;
    attempt->offset_ns = time.ns + NS_PER_S / 2 - now_of(run).wall_ns;
}

// By the secret's beginning: texts are cut somewhere.
static bool repeats(Slice message, Slice secret) {
    enum { TELLING = 24 };

    return secret.len && slice_contains(message, slice_first(secret, TELLING));
}

// Some services answer a bad signature with the whole request as they saw it, token and all.
static void withhold_secrets(const AwsRun *run, const AwsGrant *grant, AwsFault *fault) {
    const AwsKeys none = {0}, *keys = grant ? aws_grant_keys(grant) : &none;

    if (repeats(fault->message, keys->secret) || repeats(fault->message, keys->session_token) ||
        repeats(fault->message, run->options.secret))
        fault->message = SLICE("(its text repeats a secret)");
}

static ErrCode read_answer(const AwsRun *run, Arena *arena, const AwsAnswer *answer, const AwsGrant *grant,
                           void *output, AwsAttempt *attempt, Err *err) {
    ErrCode code;

    note_date(run, answer, attempt);
    if (run->operation->output)
        memset(output, 0, run->operation->output->size);
    code = aws_read(arena, run->operation, answer, output, &attempt->fault, err);
    if (code != OK) {
        attempt->is_unreadable = code == ERR_INVALID;
        return code;
    }
    if (attempt->fault.status) {
        withhold_secrets(run, grant, &attempt->fault);
        attempt->kind = aws_fault_kind(attempt->fault.code, attempt->fault.message, attempt->fault.status);
        attempt->wanted_delay = arena_slice(arena, aws_answer_header(answer, "X-Amz-Retry-After"));
    }
    return OK;
}

// Sends what is drafted. `status`: of HTTP.
static ErrCode send_draft(AwsRun *run, Arena *arena, Arena *scratch, const Draft *draft, const AwsGrant *grant,
                          void *output, AwsAttempt *attempt, Err *err) {
    const AwsObserver *observer = &run->client->options.observer;
    Mono begun = now_of(run).now;
    AwsAnswer answer = {0};
    AwsReport report = {.operation = run->operation, .attempts = ++run->attempts};
    ErrCode code = transport_of(run)->send(transport_of(run)->self, scratch, &draft->request, &answer, err);

    attempt->is_sent = true;
    if (code == OK) {
        code = read_answer(run, arena, &answer, grant, output, attempt, err);
        report.status = answer.status;
        report.code = attempt->fault.code;
    }
    report.took_ns = mono_since(now_of(run).now, begun);
    if (observer->attempt)
        observer->attempt(observer->context, &report);
    return code;
}

static ErrCode take_grant(const AwsRun *run, int64_t skew_ns, AwsGrant **ret_grant, Err *err) {
    const AwsIdentity *identity = &run->client->options.identity;

    if (run->operation->is_unsigned)
        return OK;
    if (!identity->take)
        return err_set(err, ERR_DENIED, "%s %s: this client has no credentials", run->operation->service->id,
                       run->operation->name);
    return identity->take(identity->self, now_of(run).wall_ns + skew_ns, run->refused, ret_grant, err);
}

static ErrCode carry_out(AwsRun *run, Arena *arena, Arena *scratch, void *output, AwsAttempt *attempt, Err *err) {
    AwsEndpoint endpoint;
    AwsGrant *grant = NULL;
    Draft draft = {0};
    ErrCode code;

    TRY(await_turn(run, err));
    TRY(find_endpoint(run, scratch, &endpoint, err));
    TRY(take_grant(run, attempt->skew_ns, &grant, err));
    draft_request(run, scratch, &endpoint, grant, attempt->skew_ns, &draft);
    code = send_draft(run, arena, scratch, &draft, grant, output, attempt, err);
    if (attempt->kind == AWS_EXPIRED || attempt->kind == AWS_SKEWED) {
        aws_grant_drop(run->refused);
        run->refused = grant;
    } else {
        aws_grant_drop(grant);
    }
    return code;
}

void aws_attempt(AwsRun *run, Arena *arena, void *output, AwsAttempt *ret_attempt, Err *err) {
    AwsAttempt attempt = {.skew_ns = atomic_load(&run->client->skew_ns)};
    Arena scratch = {0};

    attempt.code = carry_out(run, arena, &scratch, output, &attempt, err);
    arena_wipe(&scratch); // the session token was in it, maybe new credentials
    *ret_attempt = attempt;
}
