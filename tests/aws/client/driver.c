// The client, driven by a program: a line of JSON in, a line of JSON out. The session is that of the environment.
//
//   {"do": "open"}                                                    where credentials come from, and the region
//   {"do": "call", "operation": "DescribeSubnets", "input": {…}, "attempts": 1, "timeout_ms": 500}
//   {"do": "pages", "operation": …, "input": {…}}                     how many pages there were
//   {"do": "burst", "operation": …, "input": {…}, "threads": 8, "calls": 100}   of each thread; how many failed
//   {"do": "end", "within_ms": 300}                                   all calls
//   {"do": "skew"}                                                    what the client has learned
#include "convert.h"
#include "lines.h"

#include "aws/service/operations.h"
#include "aws/session.h"
#include "base/thread.h"

#include <stdatomic.h>

enum { THREADS_MAX = 64 };

typedef struct {
    AwsSession *session;
    atomic_uint attempts; // that were reported
} Driver;

static Slice text_of(const Value *value, const char *member) {
    const Value *text = value_get(value, slice_of(member));

    return text && text->kind == VALUE_STRING ? text->text : (Slice){0};
}

static int64_t number_of(const Value *value, const char *member) {
    int64_t number = 0;

    (void)value_to_int64(value_get(value, slice_of(member)), &number);
    return number;
}

static const AwsOperation *operation_of(const Value *line) {
    Slice name = text_of(line, "operation");

    for (uint32_t i = 0; i < aws_operation_count; i++) {
        if (slice_eq_text(name, aws_operations[i]->name))
            return aws_operations[i];
    }
    CHECK(false, "no operation %.*s", SLICE_ARG(name));
}

static void put_error(Arena *arena, Value *reply, ErrCode code, const Err *err) {
    if (code == OK)
        return;
    value_put(arena, reply, SLICE("code"), value_string(slice_of(err_code_text(code))));
    value_put(arena, reply, SLICE("error"), value_string(arena_slice(arena, slice_of(err->text))));
}

static Value outcome_value(Arena *arena, const AwsOutcome *outcome) {
    Value reply = value_map();

    value_put(arena, &reply, SLICE("kind"), value_string(slice_of(aws_fault_kind_text(outcome->kind))));
    value_put(arena, &reply, SLICE("attempts"), value_int(arena, outcome->attempts));
    value_put(arena, &reply, SLICE("may_be_done"), value_bool(outcome->may_be_done));
    value_put(arena, &reply, SLICE("fault"), value_string(outcome->fault.code));
    return reply;
}

static void count_attempt(void *context, const AwsReport *report) {
    (void)report;
    atomic_fetch_add(&((Driver *)context)->attempts, 1);
}

static Value do_open(Arena *arena, Driver *driver) {
    const AwsSessionOptions options = {
        .user_agent = SLICE("tenon-test"),
        .seed = 1,
        .observer = {.attempt = count_attempt, .context = driver},
    };
    Value reply = value_map();
    Err err = {0};
    ErrCode code = aws_session_open(&options, &driver->session, &err);

    put_error(arena, &reply, code, &err);
    if (code != OK)
        return reply;
    value_put(arena, &reply, SLICE("source"), value_string(slice_of(aws_session_source(driver->session))));
    value_put(arena, &reply, SLICE("region"), value_string(aws_client_region(aws_session_client(driver->session))));
    return reply;
}

static Value do_call(Arena *arena, Driver *driver, const Value *line) {
    const AwsOperation *operation = operation_of(line);
    void *output = operation->output ? arena_alloc(arena, operation->output->size) : NULL, *input;
    int64_t timeout_ms = number_of(line, "timeout_ms");
    const AwsCallOptions options = {
        .attempts_max = (uint32_t)number_of(line, "attempts"),
        .deadline = timeout_ms ? mono_after(clock_system_mono(), timeout_ms * NS_PER_MS) : (Mono){0},
    };
    AwsOutcome outcome;
    Value reply;
    Err err = {0};
    ErrCode code;

    CHECK(input_read(arena, operation, value_get_text(line, "input"), &input, &err) == OK, "%s", err.text);
    code = aws_call(aws_session_client(driver->session), arena, operation, input, &options, output, &outcome, &err);
    reply = outcome_value(arena, &outcome);
    put_error(arena, &reply, code, &err);
    if (code == OK && outcome.kind == AWS_FINE)
        value_put(arena, &reply, SLICE("output"), output_value(arena, operation, output));
    return reply;
}

static bool count_page(void *context, const void *output) {
    (void)output;
    ++*(int64_t *)context;
    return true;
}

static Value do_pages(Arena *arena, Driver *driver, const Value *line) {
    const AwsOperation *operation = operation_of(line);
    int64_t pages = 0;
    const AwsPageVisitor visitor = {count_page, &pages};
    AwsOutcome outcome;
    Value reply;
    void *input;
    Err err = {0};
    ErrCode code;

    CHECK(input_read(arena, operation, value_get_text(line, "input"), &input, &err) == OK, "%s", err.text);
    code = aws_pages(aws_session_client(driver->session), arena, operation, input, NULL, &visitor, &outcome, &err);
    reply = outcome_value(arena, &outcome);
    value_put(arena, &reply, SLICE("pages"), value_int(arena, pages));
    put_error(arena, &reply, code, &err);
    return reply;
}

typedef struct {
    Driver *driver;
    const Value *line;
    atomic_uint failed;
    pthread_mutex_t lock;
    Err err; // of the last failure
} Burst;

static void *run_burst(void *context) {
    Burst *burst = context;
    const AwsOperation *operation = operation_of(burst->line);

    for (int64_t call = number_of(burst->line, "calls"); call > 0; call--) {
        Arena arena = {0};
        void *output = operation->output ? arena_alloc(&arena, operation->output->size) : NULL, *input;
        Err err = {0};

        CHECK(input_read(&arena, operation, value_get_text(burst->line, "input"), &input, &err) == OK, "%s", err.text);
        if (aws_call(aws_session_client(burst->driver->session), &arena, operation, input, NULL, output, NULL, &err) !=
            OK) {
            atomic_fetch_add(&burst->failed, 1);
            pthread_mutex_lock(&burst->lock);
            burst->err = err;
            pthread_mutex_unlock(&burst->lock);
        }
        arena_free(&arena);
    }
    return NULL;
}

static Value do_burst(Arena *arena, Driver *driver, const Value *line) {
    Burst burst = {.driver = driver, .line = line, .lock = PTHREAD_MUTEX_INITIALIZER};
    int64_t count = number_of(line, "threads");
    pthread_t threads[THREADS_MAX];
    Value reply = value_map();
    uint32_t before = atomic_load(&driver->attempts);

    CHECK(count <= THREADS_MAX, "%lld threads", (long long)count);
    for (int64_t i = 0; i < count; i++)
        CHECK(thread_start(&threads[i], "burst", 0, run_burst, &burst, NULL) == OK, "a thread");
    for (int64_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    value_put(arena, &reply, SLICE("failed"), value_int(arena, atomic_load(&burst.failed)));
    value_put(arena, &reply, SLICE("attempts"), value_int(arena, atomic_load(&driver->attempts) - before));
    value_put(arena, &reply, SLICE("error"), value_string(arena_slice(arena, slice_of(burst.err.text))));
    return reply;
}

static Value answer_line(Arena *arena, void *context, const Value *line) {
    Driver *driver = context;
    Slice what = text_of(line, "do");
    Value reply = value_map();

    if (slice_eq_text(what, "open"))
        return do_open(arena, driver);
    CHECK(driver->session, "nothing is open");
    if (slice_eq_text(what, "call"))
        return do_call(arena, driver, line);
    if (slice_eq_text(what, "pages"))
        return do_pages(arena, driver, line);
    if (slice_eq_text(what, "burst"))
        return do_burst(arena, driver, line);
    if (slice_eq_text(what, "end")) {
        aws_session_end_within(driver->session, number_of(line, "within_ms") * NS_PER_MS);
        return reply;
    }
    CHECK(slice_eq_text(what, "skew"), "do %.*s", SLICE_ARG(what));
    value_put(arena, &reply, SLICE("skew_ns"),
              value_int(arena, aws_client_skew_ns(aws_session_client(driver->session))));
    return reply;
}

int main(void) {
    Driver driver = {0};

    answer_lines(answer_line, &driver);
    aws_session_close(driver.session);
    return 0;
}
