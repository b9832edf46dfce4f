// Faults, in each protocol's way.
//
// EC2: <Response><Errors><Error><Code/><Message/></Error></Errors><RequestID/></Response>. Other query services:
// <ErrorResponse><Error>…</Error><RequestId/></ErrorResponse>. JSON: the code is in a header or in the body, often with
// a name space before it and a URI after it; the request id is in a header.
#include "aws/protocol/fault.h"

#include "aws/protocol/json_read.h"
#include "text/xml.h"

typedef struct {
    Slice *code, *message, *request_id; // of the fault; the first of each counts
    Arena *arena;
    bool is_inside;
} FaultReader;

// A copy that can be shown: bounded, control characters as spaces.
static Slice copy_text(Arena *arena, Slice text, size_t len_max) {
    Slice trimmed = slice_first(slice_trim(text), len_max);
    char *copy = arena_copy(arena, trimmed.ptr, trimmed.len);

    for (size_t i = 0; i < trimmed.len; i++) {
        if ((unsigned char)copy[i] < ' ' || copy[i] == 0x7f)
            copy[i] = ' ';
    }
    return (Slice){copy, trimmed.len};
}

static bool on_open(void *context, Slice name) {
    FaultReader *reader = context;

    if (!reader->is_inside)
        reader->is_inside = slice_eq_text(name, "Response") || slice_eq_text(name, "ErrorResponse");
    return reader->is_inside;
}

static ErrCode on_close(void *context, Slice name, Slice text, Err *err) {
    FaultReader *reader = context;

    (void)err;
    if (slice_eq_text(name, "Code") && !reader->code->len)
        *reader->code = copy_text(reader->arena, text, AWS_FAULT_CODE_MAX);
    else if (slice_eq_text(name, "Message") && !reader->message->len)
        *reader->message = copy_text(reader->arena, text, AWS_FAULT_MESSAGE_MAX);
    else if (slice_eq_text(name, "RequestID") || slice_eq_text(name, "RequestId"))
        *reader->request_id = copy_text(reader->arena, text, AWS_FAULT_CODE_MAX);
    return OK;
}

static void read_xml(Arena *arena, Slice body, AwsFault *fault) {
    FaultReader reader = {&fault->code, &fault->message, &fault->request_id, arena, false};
    XmlSink sink = {&reader, on_open, on_close};

    (void)xml_read(body, NULL, &sink, NULL); // what stands before an error counts
}

// The first of these members that is a string.
static Slice first_string(const Value *body, const char *const *names) {
    for (; *names; names++) {
        const Value *value = value_get(body, slice_of(*names));

        if (value && value->kind == VALUE_STRING)
            return value->text;
    }
    return (Slice){0};
}

// "aws.sqs#QueueDoesNotExist:http://…" is QueueDoesNotExist.
static Slice bare_code(Slice code) {
    ptrdiff_t colon = slice_find(code, ':');

    if (colon >= 0)
        code = slice_first(code, (size_t)colon);
    return slice_from(code, (size_t)(slice_find(code, '#') + 1));
}

static void read_json(Arena *arena, const AwsAnswer *answer, AwsFault *fault) {
    static const char *const codes[] = {"__type", "code", "Code", NULL};
    static const char *const messages[] = {"message", "Message", "errorMessage", NULL};
    Arena scratch = {0};
    Value body = value_null();
    Slice code = aws_answer_header(answer, "x-amzn-errortype");

    (void)aws_json_parse(&scratch, answer->body, &body, NULL);
    if (!code.len)
        code = first_string(&body, codes);
    fault->code = copy_text(arena, bare_code(code), AWS_FAULT_CODE_MAX);
    fault->message = copy_text(arena, first_string(&body, messages), AWS_FAULT_MESSAGE_MAX);
    arena_free(&scratch);
}

AwsFault aws_fault_read(Arena *arena, const AwsOperation *operation, const AwsAnswer *answer) {
    AwsFault fault = {.status = answer->status};

    if (operation->service->protocol == AWS_QUERY || operation->service->protocol == AWS_EC2_QUERY)
        read_xml(arena, answer->body, &fault);
    else
        read_json(arena, answer, &fault);
    if (!fault.request_id.len)
        fault.request_id = copy_text(arena, aws_answer_header(answer, "x-amzn-requestid"), AWS_FAULT_CODE_MAX);
    return fault;
}
