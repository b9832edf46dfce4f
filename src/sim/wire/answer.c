// Documents of XML are written here; JSON by aws/protocol itself, which writes requests in it.
#include "sim/wire/answer.h"

#include "aws/protocol/scalar.h"

typedef struct {
    Buffer out, scalar;
    bool is_ec2;
} AnswerWriter;

static void add_text(Buffer *out, Slice text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c == '&' || c == '<' || c == '>')
            buffer_append(out, c == '&' ? SLICE("&amp;") : c == '<' ? SLICE("&lt;") : SLICE("&gt;"));
        else
            buffer_append_char(out, c);
    }
}

static void add_element(AnswerWriter *writer, const AwsShape *shape, Slice name, const void *field);

static void add_structure(AnswerWriter *writer, const AwsShape *shape, const char *object) {
    for (uint32_t i = 0; i < shape->member_count; i++) {
        const AwsMember *member = &shape->members[i];
        const void *field = object + member->offset;

        if (!aws_is_present(member->shape, field))
            continue;
        if (member->shape->kind == AWS_STRUCTURE)
            field = *(const void *const *)field;
        add_element(writer, member->shape, member->name, field);
    }
}

static void add_value(AnswerWriter *writer, const AwsShape *shape, const void *field) {
    const AwsItems *list = field;

    switch (shape->kind) {
    case AWS_STRUCTURE:
        add_structure(writer, shape, field);
        break;
    case AWS_LIST:
        for (uint32_t i = 0; i < list->count; i++)
            add_element(writer, shape->element, writer->is_ec2 ? SLICE("item") : SLICE("member"),
                        aws_items_at(shape, list, i));
        break;
    case AWS_MAP:
        break;
    default:
        writer->scalar.len = 0;
        aws_scalar_write(&writer->scalar, shape, AWS_TIME_ISO_8601, field);
        add_text(&writer->out, buffer_slice(&writer->scalar));
    }
}

// Not printed: a list of all instance types has a hundred thousand elements.
static void add_element(AnswerWriter *writer, const AwsShape *shape, Slice name, const void *field) {
    Buffer *out = &writer->out;

    buffer_append_char(out, '<');
    buffer_append(out, name);
    buffer_append_char(out, '>');
    add_value(writer, shape, field);
    buffer_append(out, SLICE("</"));
    buffer_append(out, name);
    buffer_append_char(out, '>');
}

static Slice finish(Arena *arena, Buffer *out) {
    Slice text = arena_slice(arena, buffer_slice(out));

    buffer_free(out);
    return text;
}

static Slice xml_answer(Arena *arena, const AwsOperation *operation, const void *output) {
    AnswerWriter writer = {.is_ec2 = operation->service->protocol == AWS_EC2_QUERY};
    const char *name = operation->name;

    buffer_printf(&writer.out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<%sResponse>", name);
    if (!writer.is_ec2)
        buffer_printf(&writer.out, "<%sResult>", name);
    if (operation->output)
        add_structure(&writer, operation->output, output);
    if (!writer.is_ec2)
        buffer_printf(&writer.out, "</%sResult>", name);
    buffer_printf(&writer.out, "</%sResponse>", name);
    buffer_free(&writer.scalar);
    return finish(arena, &writer.out);
}

// The request of an operation whose input is this one's output is its answer.
static Slice json_answer(Arena *arena, const AwsOperation *operation, const void *output) {
    AwsService service = *operation->service;
    const AwsOperation reversed = {.service = &service, .name = operation->name, .input = operation->output};
    AwsMessage message = {0};

    if (!operation->output)
        return SLICE("");
    service.protocol = AWS_JSON_1_0;
    CHECK(aws_write(arena, &reversed, output, &message, NULL) == OK, "an answer of %s", operation->name);
    return message.body;
}

static bool is_query(const AwsOperation *operation) {
    return operation->service->protocol == AWS_EC2_QUERY || operation->service->protocol == AWS_QUERY;
}

Slice wire_answer(Arena *arena, const AwsOperation *operation, const void *output) {
    return is_query(operation) ? xml_answer(arena, operation, output) : json_answer(arena, operation, output);
}

Slice wire_fault(Arena *arena, const AwsOperation *operation, const WireFault *fault) {
    Buffer out = {0};

    if (operation->service->protocol == AWS_EC2_QUERY)
        buffer_append(&out, SLICE("<Response><Errors>"));
    else if (is_query(operation))
        buffer_append(&out, SLICE("<ErrorResponse>"));
    if (is_query(operation)) {
        buffer_printf(&out, "<Error><Code>%s</Code><Message>", fault->code);
        add_text(&out, fault->message);
        buffer_append(&out, SLICE("</Message></Error>"));
    } else {
        buffer_printf(&out, "{\"__type\":\"%s\",\"message\":\"%.*s\"}", fault->code, SLICE_ARG(fault->message));
    }
    if (operation->service->protocol == AWS_EC2_QUERY)
        buffer_append(&out, SLICE("</Errors><RequestID>simulated</RequestID></Response>"));
    else if (is_query(operation))
        buffer_append(&out, SLICE("<RequestId>simulated</RequestId></ErrorResponse>"));
    return finish(arena, &out);
}
