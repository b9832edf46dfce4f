// Writes requests and reads answers for a program that compares them: a line of JSON in, a line of JSON out.
//
//   {"do": "describe"}                             all operations of tenon, with their shapes
//   {"do": "define", "service": …, "shapes": […]}  an operation "defined", of shapes that are none of tenon's
//   {"do": "write", "operation": "DescribeSubnets", "input": {…}}
//   {"do": "read", "operation": …, "status": 200, "headers": {…}, "body": "…"}
//   {"do": "measure", "operation": …, "status": 200, "body": "…"}   nanoseconds to read it, and bytes that it takes
//   {"do": "sign", …}, {"do": "endpoint", …}       access.h
//   then
//
// Inputs and outputs are in JSON as the shapes have it: members by their names on the wire, blobs in base64, times in
// seconds since 1970. They are turned into structs and back by the JSON protocol's own reader and writer; what those
// did wrong would show in the comparison.
#include "access.h"
#include "convert.h"
#include "lines.h"
#include "shapes.h"

#include "aws/service/operations.h"

typedef struct {
    Arena arena; // of the operation that was defined
    AwsOperation operation;
    AwsService service;
} Defined;

static Slice text_of(const Value *value, const char *member) {
    const Value *text = value_get(value, slice_of(member));

    return text && text->kind == VALUE_STRING ? text->text : (Slice){0};
}

static const AwsOperation *find_operation(const Value *line, const Defined *defined) {
    Slice name = text_of(line, "operation");

    for (uint32_t i = 0; i < aws_operation_count; i++) {
        if (slice_eq_text(name, aws_operations[i]->name))
            return aws_operations[i];
    }
    CHECK(slice_eq_text(name, "defined") && defined->operation.name, "no operation %.*s", SLICE_ARG(name));
    return &defined->operation;
}

static Value error_value(Arena *arena, const Err *err) {
    Value reply = value_map();

    value_put(arena, &reply, SLICE("error"), value_string(arena_slice(arena, slice_of(err->text))));
    return reply;
}

static Value headers_value(Arena *arena, const AwsMessage *message) {
    Value headers = value_map();

    for (uint32_t i = 0; i < message->header_count; i++)
        value_put(arena, &headers, message->headers[i].name, value_string(message->headers[i].value));
    return headers;
}

static Value do_write(Arena *arena, const AwsOperation *operation, const Value *line) {
    AwsMessage message;
    Value reply = value_map();
    void *input;
    Err err;

    if (input_read(arena, operation, value_get_text(line, "input"), &input, &err) != OK ||
        aws_write(arena, operation, input, &message, &err) != OK)
        return error_value(arena, &err);
    value_put(arena, &reply, SLICE("method"), value_string(slice_of(message.method)));
    value_put(arena, &reply, SLICE("path"), value_string(message.path));
    value_put(arena, &reply, SLICE("headers"), headers_value(arena, &message));
    value_put(arena, &reply, SLICE("body"), value_string(message.body));
    return reply;
}

static Value fault_value(Arena *arena, const AwsFault *fault) {
    Value value = value_map();

    value_put(arena, &value, SLICE("status"), value_int(arena, fault->status));
    value_put(arena, &value, SLICE("code"), value_string(fault->code));
    value_put(arena, &value, SLICE("message"), value_string(fault->message));
    value_put(arena, &value, SLICE("request_id"), value_string(fault->request_id));
    return value;
}

static AwsAnswer answer_of(Arena *arena, const Value *line) {
    const Value *headers = value_get_text(line, "headers");
    uint32_t count = headers ? headers->map.count : 0;
    HttpHeader *copies = arena_array(arena, HttpHeader, count);
    int64_t status = 0;

    for (uint32_t i = 0; i < count; i++)
        copies[i] = (HttpHeader){headers->map.items[i].key, headers->map.items[i].value.text};
    CHECK(value_to_int64(value_get_text(line, "status"), &status), "a status");
    return (AwsAnswer){(int)status, copies, count, text_of(line, "body")};
}

static Value do_read(Arena *arena, const AwsOperation *operation, const Value *line) {
    AwsAnswer answer = answer_of(arena, line);
    void *output = operation->output ? arena_alloc(arena, operation->output->size) : NULL;
    Value reply = value_map();
    AwsFault fault;
    Err err;

    if (aws_read(arena, operation, &answer, output, &fault, &err) != OK)
        return error_value(arena, &err);
    if (fault.status)
        value_put(arena, &reply, SLICE("fault"), fault_value(arena, &fault));
    else
        value_put(arena, &reply, SLICE("output"), output_value(arena, operation, output));
    return reply;
}

// The quickest of several readings.
static Value do_measure(Arena *arena, const AwsOperation *operation, const Value *line) {
    enum { READINGS = 50 };
    AwsAnswer answer = answer_of(arena, line);
    Value reply = value_map();
    int64_t best_ns = INT64_MAX;
    size_t bytes = 0;

    for (int i = 0; i < READINGS; i++) {
        Mono begin = clock_system_mono();
        Arena reading = {0};
        void *output = arena_alloc(&reading, operation->output->size);
        int64_t ns;
        AwsFault fault;

        CHECK(aws_read(&reading, operation, &answer, output, &fault, NULL) == OK, "an answer");
        ns = mono_since(clock_system_mono(), begin);
        if (ns < best_ns)
            best_ns = ns;
        bytes = arena_used(&reading);
        arena_free(&reading);
    }
    value_put(arena, &reply, SLICE("ns"), value_int(arena, best_ns));
    value_put(arena, &reply, SLICE("bytes"), value_int(arena, (int64_t)bytes));
    return reply;
}

static Value do_describe(Arena *arena) {
    static const char *const protocols[] = {"ec2", "query", "json", "json", "rest-json"};
    Value reply = value_list();

    for (uint32_t i = 0; i < aws_operation_count; i++) {
        const AwsOperation *operation = aws_operations[i];
        const AwsService *service = operation->service;
        Value *entry = value_append(arena, &reply, value_map());

        value_put(arena, entry, SLICE("service"), value_string(slice_of(service->id)));
        value_put(arena, entry, SLICE("endpoint_prefix"), value_string(slice_of(service->endpoint_prefix)));
        value_put(arena, entry, SLICE("signing_name"), value_string(slice_of(service->signing_name)));
        value_put(arena, entry, SLICE("api_version"), value_string(slice_of(service->api_version)));
        value_put(arena, entry, SLICE("protocol"), value_string(slice_of(protocols[service->protocol])));
        value_put(arena, entry, SLICE("is_unsigned"), value_bool(operation->is_unsigned));
        value_put(arena, entry, SLICE("name"), value_string(slice_of(operation->name)));
        value_put(arena, entry, SLICE("input"), shape_describe(arena, operation->input));
        value_put(arena, entry, SLICE("output"),
                  operation->output ? shape_describe(arena, operation->output) : value_null());
        if (operation->paging.is_paged) {
            Value *paging = value_put(arena, entry, SLICE("paging"), value_list());

            value_append(arena, paging, shape_member_at(operation->input, operation->paging.input_token));
            value_append(arena, paging, shape_member_at(operation->output, operation->paging.output_token));
        }
    }
    return reply;
}

static Value do_define(Defined *defined, const Value *line) {
    arena_free(&defined->arena);
    *defined = (Defined){0};
    operation_define(&defined->arena, line, &defined->service, &defined->operation);
    return value_map();
}

static Value answer_line(Arena *arena, void *context, const Value *line) {
    Defined *defined = context;
    Slice what = text_of(line, "do");

    if (slice_eq_text(what, "describe"))
        return do_describe(arena);
    if (slice_eq_text(what, "define"))
        return do_define(defined, line);
    if (slice_eq_text(what, "write"))
        return do_write(arena, find_operation(line, defined), line);
    if (slice_eq_text(what, "measure"))
        return do_measure(arena, find_operation(line, defined), line);
    if (slice_eq_text(what, "sign"))
        return do_sign(arena, line);
    if (slice_eq_text(what, "endpoint"))
        return do_endpoint(arena, line);
    CHECK(slice_eq_text(what, "read"), "do %.*s", SLICE_ARG(what));
    return do_read(arena, find_operation(line, defined), line);
}

int main(void) {
    Defined defined = {0};

    answer_lines(answer_line, &defined);
    arena_free(&defined.arena);
    return 0;
}
