// Forms of the query protocols.
//
// Names are paths: structures and lists add ".Name" and ".1" to the name of what they are in. AWS_QUERY puts a word
// between a list and its elements (Tags.member.1) unless the list is flat; AWS_EC2_QUERY never does, writes names with
// a capital, and has no way to say that a list is empty.
#include "aws/protocol/query_write.h"

#include "aws/protocol/scalar.h"

typedef struct {
    Buffer *body;
    Buffer name, value; // of the parameter that is written next
    bool is_ec2;
} QueryWriter;

static void write_value(QueryWriter *writer, const AwsShape *shape, const void *field);

// Appends ".name" to the current name; returns the length to go back to.
static size_t enter(QueryWriter *writer, Slice name) {
    size_t before = writer->name.len;

    if (before)
        buffer_append_char(&writer->name, '.');
    buffer_append(&writer->name, name);
    return before;
}

// The same for a member of a structure, with EC2's capital.
static size_t enter_member(QueryWriter *writer, Slice name) {
    size_t before = enter(writer, name);
    char *first = &writer->name.bytes[before ? before + 1 : 0];

    if (writer->is_ec2 && *first >= 'a' && *first <= 'z')
        *first = (char)(*first - 'a' + 'A');
    return before;
}

static void enter_number(QueryWriter *writer, uint32_t number) {
    buffer_printf(&writer->name, ".%u", number);
}

static void leave(QueryWriter *writer, size_t before) {
    writer->name.len = before;
}

static void add_parameter(QueryWriter *writer, Slice value) {
    if (writer->body->len)
        buffer_append_char(writer->body, '&');
    url_add_encoded(writer->body, buffer_slice(&writer->name));
    buffer_append_char(writer->body, '=');
    url_add_encoded(writer->body, value);
}

static void write_structure(QueryWriter *writer, const AwsShape *shape, const char *object) {
    for (uint32_t i = 0; i < shape->member_count; i++) {
        const AwsMember *member = &shape->members[i];
        const void *field = object + member->offset;
        size_t before;

        if (!aws_is_present(member->shape, field))
            continue;
        before = enter_member(writer, member->name);
        write_value(writer, member->shape, member->shape->kind == AWS_STRUCTURE ? *(const void *const *)field : field);
        leave(writer, before);
    }
}

static void write_list(QueryWriter *writer, const AwsShape *shape, const AwsItems *list) {
    size_t before = writer->name.len;

    if (!list->count && !writer->is_ec2)
        add_parameter(writer, (Slice){0});
    if (!shape->is_flat && !writer->is_ec2)
        (void)enter(writer, slice_of(shape->element_name ? shape->element_name : "member"));
    for (uint32_t i = 0; i < list->count; i++) {
        size_t before_number = writer->name.len;

        enter_number(writer, i + 1);
        write_value(writer, shape->element, aws_items_at(shape, list, i));
        leave(writer, before_number);
    }
    leave(writer, before);
}

static void write_map(QueryWriter *writer, const AwsShape *shape, const AwsItems *map) {
    size_t before = writer->name.len, before_number;

    if (!shape->is_flat)
        (void)enter(writer, SLICE("entry"));
    before_number = writer->name.len;
    for (uint32_t i = 0; i < map->count; i++) {
        const char *entry = aws_items_at(shape, map, i);
        size_t before_part;

        enter_number(writer, i + 1);
        before_part = enter(writer, slice_of(shape->key_name ? shape->key_name : "key"));
        add_parameter(writer, *(const Slice *)entry);
        leave(writer, before_part);
        (void)enter(writer, slice_of(shape->value_name ? shape->value_name : "value"));
        write_value(writer, shape->element, entry + shape->value_offset);
        leave(writer, before_number);
    }
    leave(writer, before);
}

// `field`: the value itself, of a structure the struct.
static void write_value(QueryWriter *writer, const AwsShape *shape, const void *field) {
    switch (shape->kind) {
    case AWS_STRUCTURE:
        write_structure(writer, shape, field);
        break;
    case AWS_LIST:
        write_list(writer, shape, field);
        break;
    case AWS_MAP:
        write_map(writer, shape, field);
        break;
    default:
        writer->value.len = 0;
        aws_scalar_write(&writer->value, shape, AWS_TIME_ISO_8601, field);
        add_parameter(writer, buffer_slice(&writer->value));
    }
}

void aws_query_write(Buffer *body, const AwsOperation *operation, const void *input) {
    QueryWriter writer = {.body = body, .is_ec2 = operation->service->protocol == AWS_EC2_QUERY};

    buffer_printf(body, "Action=%s&Version=%s", operation->name, operation->service->api_version);
    write_structure(&writer, operation->input, input);
    buffer_free(&writer.name);
    buffer_free(&writer.value);
}
