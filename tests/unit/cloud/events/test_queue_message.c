// Bodies of queue messages: upstream's area "interruption" (pkg/controllers/interruption). Reference aws.md 7.7, 13.1.
#include "base/buffer.h"
#include "cloud/aws/events/queue_message.h"
#include "harness/test.h"
#include "text/duration.h"

typedef struct {
    const char *name, *body;
    CloudMessageKind kind;
    const char *ids;  // with a space behind each
    const char *sent; // "": not said
} Row;

#define SENT "2026-08-01T00:00:00Z"
#define EVENT(source, type, detail)                                                                                    \
    "{\"version\":\"0\",\"source\":\"" source "\",\"detail-type\":\"" type "\",\"time\":\"" SENT                       \
    "\",\"detail\":" detail "}"
#define SPOT(detail)      EVENT("aws.ec2", "EC2 Spot Instance Interruption Warning", detail)
#define REBALANCE(detail) EVENT("aws.ec2", "EC2 Instance Rebalance Recommendation", detail)
#define STATE(state)                                                                                                   \
    EVENT("aws.ec2", "EC2 Instance State-change Notification", "{\"instance-id\":\"i-0a\",\"state\":\"" state "\"}")
#define HEALTH(detail)      EVENT("aws.health", "AWS Health Event", detail)
#define RESERVATION(detail) EVENT("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning", detail)
#define CHANGE(entities)                                                                                               \
    HEALTH("{\"service\":\"EC2\",\"eventTypeCategory\":\"scheduledChange\",\"affectedEntities\":" entities "}")

static const Row rows[] = {
    // the samples of aws.md 13.1
    {"interruption: sample of a spot interruption (R081)",
     "{\"version\":\"0\",\"id\":\"12345678-1234-1234-1234-123456789012\",\"detail-type\":\"EC2 Spot Instance "
     "Interruption "
     "Warning\",\"source\":\"aws.ec2\",\"account\":\"1\",\"time\":\"2026-08-01T00:00:00Z\",\"region\":\"us-west-2\","
     "\"resources\":[\"arn:aws:ec2:us-west-2:1:instance/i-0a\"],\"detail\":{\"instance-id\":\"i-0a\","
     "\"instance-action\":\"terminate\"}}",
     CLOUD_MESSAGE_SPOT_INTERRUPTED, "i-0a ", SENT},
    {"interruption: sample of a scheduled change",
     "{\"version\":\"0\",\"detail-type\":\"AWS Health "
     "Event\",\"source\":\"aws.health\",\"time\":\"2026-08-01T00:00:00Z\","
     "\"detail\":{\"service\":\"EC2\",\"eventTypeCode\":\"AWS_EC2_INSTANCE_REBOOT_MAINTENANCE_SCHEDULED\","
     "\"eventTypeCategory\":\"scheduledChange\",\"startTime\":\"Sat, 05 Aug 2026 09:00:00 GMT\","
     "\"affectedEntities\":[{\"entityValue\":\"i-0a\"}]}}",
     CLOUD_MESSAGE_SCHEDULED_CHANGE, "i-0a ", SENT},
    {"interruption: sample of a state change",
     "{\"version\":\"0\",\"detail-type\":\"EC2 Instance State-change Notification\",\"source\":\"aws.ec2\",\"time\":"
     "\"2026-08-01T00:00:00Z\",\"detail\":{\"instance-id\":\"i-0a\",\"state\":\"stopping\"}}",
     CLOUD_MESSAGE_STOPPED, "i-0a ", SENT},
    // kinds
    {"interruption: rebalance recommendation", REBALANCE("{\"instance-id\":\"i-0a\"}"), CLOUD_MESSAGE_REBALANCE,
     "i-0a ", SENT},
    {"interruption: reservation interrupted", RESERVATION("{\"instance-id\":\"i-0a\"}"),
     CLOUD_MESSAGE_RESERVATION_INTERRUPTED, "i-0a ", SENT},
    {"interruption: stopped", STATE("stopped"), CLOUD_MESSAGE_STOPPED, "i-0a ", SENT},
    {"interruption: shutting down (R076)", STATE("shutting-down"), CLOUD_MESSAGE_TERMINATED, "i-0a ", SENT},
    {"interruption: terminated (R076)", STATE("terminated"), CLOUD_MESSAGE_TERMINATED, "i-0a ", SENT},
    {"interruption: a state in capitals", STATE("STOPPING"), CLOUD_MESSAGE_STOPPED, "i-0a ", SENT},
    {"interruption: a state in mixed case", STATE("Shutting-Down"), CLOUD_MESSAGE_TERMINATED, "i-0a ", SENT},
    {"interruption: running is nothing", STATE("running"), CLOUD_MESSAGE_OTHER, "", SENT},
    {"interruption: pending is nothing", STATE("pending"), CLOUD_MESSAGE_OTHER, "", SENT},
    {"interruption: an empty state is nothing", STATE(""), CLOUD_MESSAGE_OTHER, "", SENT},
    {"interruption: the beginning of a state is nothing", STATE("stop"), CLOUD_MESSAGE_OTHER, "", SENT},
    {"interruption: a health event of another service",
     HEALTH("{\"service\":\"RDS\",\"eventTypeCategory\":\"scheduledChange\",\"affectedEntities\":[{\"entityValue\":\"i-"
            "0a\"}]}"),
     CLOUD_MESSAGE_OTHER, "", SENT},
    {"interruption: a health event of another category",
     HEALTH("{\"service\":\"EC2\",\"eventTypeCategory\":\"issue\",\"affectedEntities\":[{\"entityValue\":\"i-0a\"}]}"),
     CLOUD_MESSAGE_OTHER, "", SENT},
    {"interruption: a health event without a category",
     HEALTH("{\"service\":\"EC2\",\"affectedEntities\":[{\"entityValue\":\"i-0a\"}]}"), CLOUD_MESSAGE_OTHER, "", SENT},
    // instances
    {"interruption: several instances", CHANGE("[{\"entityValue\":\"i-0b\"},{\"entityValue\":\"i-0a\"}]"),
     CLOUD_MESSAGE_SCHEDULED_CHANGE, "i-0b i-0a ", SENT},
    {"interruption: an instance twice in a body",
     CHANGE("[{\"entityValue\":\"i-0a\"},{\"entityValue\":\"i-0b\"},{\"entityValue\":\"i-0a\"}]"),
     CLOUD_MESSAGE_SCHEDULED_CHANGE, "i-0a i-0b ", SENT},
    {"interruption: no instances", CHANGE("[]"), CLOUD_MESSAGE_SCHEDULED_CHANGE, "", SENT},
    {"interruption: null for instances", CHANGE("null"), CLOUD_MESSAGE_SCHEDULED_CHANGE, "", SENT},
    {"interruption: an entity without a value", CHANGE("[{\"status\":\"PENDING\"},{\"entityValue\":\"i-0a\"}]"),
     CLOUD_MESSAGE_SCHEDULED_CHANGE, "i-0a ", SENT},
    {"interruption: a warning without an instance", SPOT("{}"), CLOUD_MESSAGE_SPOT_INTERRUPTED, "", SENT},
    {"interruption: a warning without a detail", SPOT("null"), CLOUD_MESSAGE_SPOT_INTERRUPTED, "", SENT},
    {"interruption: an empty instance id", SPOT("{\"instance-id\":\"\"}"), CLOUD_MESSAGE_SPOT_INTERRUPTED, "", SENT},
    // what is not known
    {"interruption: unknown members of the detail",
     SPOT("{\"instance-id\":\"i-0a\",\"state\":7,\"affectedEntities\":{\"a\":[1,{}]}}"), CLOUD_MESSAGE_SPOT_INTERRUPTED,
     "i-0a ", SENT},
    {"interruption: an empty body", "", CLOUD_MESSAGE_OTHER, "", ""},
    {"interruption: an empty object", "{}", CLOUD_MESSAGE_OTHER, "", ""},
    {"interruption: an unknown detail type", EVENT("aws.ec2", "EC2 Something Else", "{\"instance-id\":\"i-0a\"}"),
     CLOUD_MESSAGE_OTHER, "", SENT},
    {"interruption: an unknown source", EVENT("aws.foo", "EC2 Instance Rebalance Recommendation", "{}"),
     CLOUD_MESSAGE_OTHER, "", SENT},
    {"interruption: a known type from another source",
     EVENT("aws.health", "EC2 Spot Instance Interruption Warning", "{\"instance-id\":\"i-0a\"}"), CLOUD_MESSAGE_OTHER,
     "", SENT},
    {"interruption: another version",
     "{\"version\":\"1\",\"source\":\"aws.ec2\",\"detail-type\":\"EC2 Spot Instance Interruption Warning\","
     "\"detail\":{\"instance-id\":\"i-0a\"}}",
     CLOUD_MESSAGE_OTHER, "", ""},
    {"interruption: the detail of an unknown event is not looked at", EVENT("aws.ec2", "EC2 Something Else", "[7]"),
     CLOUD_MESSAGE_OTHER, "", SENT},
    // the envelope
    {"interruption: no time",
     "{\"version\":\"0\",\"source\":\"aws.ec2\",\"detail-type\":\"EC2 Instance Rebalance Recommendation\",\"detail\":"
     "{\"instance-id\":\"i-0a\"}}",
     CLOUD_MESSAGE_REBALANCE, "i-0a ", ""},
    {"interruption: a time with an offset",
     "{\"version\":\"0\",\"source\":\"aws.ec2\",\"detail-type\":\"EC2 Instance Rebalance Recommendation\",\"time\":"
     "\"2026-08-01T02:00:00+02:00\",\"detail\":{\"instance-id\":\"i-0a\"}}",
     CLOUD_MESSAGE_REBALANCE, "i-0a ", SENT},
    {"interruption: escapes in names",
     "{\"version\":\"\\u0030\",\"source\":\"aws.ec2\",\"detail\\u002dtype\":\"EC2 Instance Rebalance Recommendation\","
     "\"detail\":{\"instance-id\":\"i-0\\u0061\"}}",
     CLOUD_MESSAGE_REBALANCE, "i-0a ", ""},
    {"interruption: the last one of two members counts", SPOT("{\"instance-id\":\"i-0a\",\"instance-id\":\"i-0b\"}"),
     CLOUD_MESSAGE_SPOT_INTERRUPTED, "i-0b ", SENT},
    {"interruption: white space around", " \n" REBALANCE("{\"instance-id\":\"i-0a\"}") "\n ", CLOUD_MESSAGE_REBALANCE,
     "i-0a ", SENT},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const Row, row, a_body_tells_its_kind_and_instances, list_rows) {
    QueueMessage message;
    Arena arena = {0};
    Buffer ids = {0};
    Err err = {0};

    assert_string_equal(queue_message_read(&arena, slice_of(row->body), &message, &err) == OK ? "" : err.text, "");
    for (vec_each(const Slice, id, &message.instance_ids))
        buffer_printf(&ids, "%.*s ", SLICE_ARG(*id));
    buffer_append_char(&ids, '\0');
    assert_int_equal(message.kind, row->kind);
    assert_string_equal(ids.bytes, row->ids);
    assert_string_equal(message.sent_ns ? arena_text(&arena, time_print(&arena, message.sent_ns)) : "", row->sent);
    buffer_free(&ids);
    arena_free(&arena);
}

typedef struct {
    const char *name, *body, *text; // `text`: in the message of the error
} BrokenRow;

static const BrokenRow broken_rows[] = {
    {"interruption: broken: no JSON", "not json", "message of the interruption queue: body:1"},
    {"interruption: broken: cut off", "{\"version\":\"0\",\"source\":\"aws.e", "body:1"},
    {"interruption: broken: white space alone", "  \n", "expected one JSON object, got 0"},
    {"interruption: broken: two objects", "{}{}", "expected one JSON object, got 2"},
    {"interruption: broken: a list", "[]", "expected map, got list"},
    {"interruption: broken: a text", "\"a\"", "expected map, got string"},
    {"interruption: broken: a number for the version", "{\"version\":0}", "version: expected string, got number"},
    {"interruption: broken: a list for the source", "{\"source\":[]}", "source: expected string, got list"},
    {"interruption: broken: a time of another form", "{\"time\":\"yesterday\"}", "time: "},
    {"interruption: broken: an empty time", "{\"time\":\"\"}", "time: "},
    {"interruption: broken: a number for the time", "{\"time\":1795420800}", "time: expected string, got number"},
    {"interruption: broken: a time without an offset", "{\"time\":\"2026-08-01T00:00:00\"}", "time: "},
    {"interruption: broken: a text for the detail", SPOT("\"i-0a\""), "detail: expected map, got string"},
    {"interruption: broken: a number for the instance", SPOT("{\"instance-id\":7}"),
     "detail.instance-id: expected string, got number"},
    {"interruption: broken: an object for the entities", CHANGE("{}"),
     "detail.affectedEntities: expected list, got map"},
    {"interruption: broken: a text among the entities", CHANGE("[\"i-0a\"]"),
     "detail.affectedEntities[0]: expected map, got string"},
    {"interruption: broken: an entity that is a number", CHANGE("[{},{\"entityValue\":1}]"),
     "detail.affectedEntities[1].entityValue: expected string"},
    {"interruption: broken: bytes that are no UTF-8", "{\"version\":\"\xff\"}", "body:1"},
};

static void list_broken_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof broken_rows / sizeof *broken_rows; i++)
        test_case(cases, broken_rows[i].name, (void *)(uintptr_t)&broken_rows[i]);
}

TEST_EACH(const BrokenRow, row, a_broken_body_is_refused, list_broken_rows) {
    QueueMessage message = {.sent_ns = 7};
    Arena arena = {0};
    Err err = {0};

    assert_int_equal(queue_message_read(&arena, slice_of(row->body), &message, &err), ERR_INVALID);
    if (!strstr(err.text, row->text))
        fail_msg("%s: not in: %s", row->text, err.text);
    assert_int_equal(message.sent_ns, 7);
    arena_free(&arena);
}

// A body whose `entities` are `count` instances, or as deep.
static Slice long_body(Buffer *buffer, uint32_t count) {
    buffer_printf(buffer,
                  "{\"version\":\"0\",\"source\":\"aws.health\",\"detail-type\":\"AWS Health Event\",\"detail\":"
                  "{\"service\":\"EC2\",\"eventTypeCategory\":\"scheduledChange\",\"affectedEntities\":[");
    for (uint32_t i = 0; i < count; i++)
        buffer_printf(buffer, "%s{\"entityValue\":\"i-%08x\"}", i ? "," : "", i);
    buffer_printf(buffer, "]}}");
    return buffer_slice(buffer);
}

TEST(as_many_instances_as_the_maximum_are_read_and_no_more) {
    QueueMessage message = {0};
    Buffer full = {0}, over = {0};
    Arena arena = {0};
    Err err = {0};

    assert_int_equal(queue_message_read(&arena, long_body(&full, QUEUE_BODY_INSTANCES_MAX), &message, &err), OK);
    assert_int_equal(message.instance_ids.count, QUEUE_BODY_INSTANCES_MAX);
    assert_int_equal(queue_message_read(&arena, long_body(&over, QUEUE_BODY_INSTANCES_MAX + 1), &message, &err),
                     ERR_TOO_LARGE);
    assert_non_null(strstr(err.text, "more than 10000 instances"));
    buffer_free(&full);
    buffer_free(&over);
    arena_free(&arena);
}

static ErrCode read_nested(uint32_t depth) {
    QueueMessage message;
    Buffer body = {0};
    Arena arena = {0};
    ErrCode code;

    buffer_printf(&body, "{\"x\":");
    for (uint32_t i = 0; i < depth; i++)
        buffer_append_char(&body, '[');
    for (uint32_t i = 0; i < depth; i++)
        buffer_append_char(&body, ']');
    buffer_append_char(&body, '}');
    code = queue_message_read(&arena, buffer_slice(&body), &message, NULL);
    buffer_free(&body);
    arena_free(&arena);
    return code;
}

TEST(a_body_that_is_too_deep_is_refused) {
    assert_int_equal(read_nested(QUEUE_BODY_DEPTH_MAX - 2), OK);
    assert_int_equal(read_nested(QUEUE_BODY_DEPTH_MAX + 1), ERR_TOO_LARGE);
}

TEST(a_body_that_is_too_long_is_refused) {
    QueueMessage message = {0};
    Arena arena = {0};
    Buffer body = {0};
    Err err = {0};

    buffer_printf(&body, "{\"version\":\"");
    while (body.len < QUEUE_BODY_BYTES_MAX - 2)
        buffer_append_char(&body, '0');
    buffer_printf(&body, "\"}");
    assert_int_equal(queue_message_read(&arena, buffer_slice(&body), &message, &err), OK);
    buffer_append_char(&body, ' ');
    assert_int_equal(queue_message_read(&arena, buffer_slice(&body), &message, &err), ERR_TOO_LARGE);
    assert_non_null(strstr(err.text, "more than 1048576 bytes"));
    buffer_free(&body);
    arena_free(&arena);
}

TEST(a_body_of_too_many_values_is_refused) {
    QueueMessage message = {0};
    Arena arena = {0};
    Buffer body = {0};

    buffer_printf(&body, "{\"x\":[1");
    for (uint32_t i = 0; i < QUEUE_BODY_VALUES_MAX; i++)
        buffer_printf(&body, ",1");
    buffer_printf(&body, "]}");
    assert_int_equal(queue_message_read(&arena, buffer_slice(&body), &message, NULL), ERR_TOO_LARGE);
    buffer_free(&body);
    arena_free(&arena);
}

// What a rule of EventBridge should send is what is acted upon; the detail, here empty, tells the kind of two.
TEST(events_are_named_as_they_are_read) {
    const QueueEvent *event;
    uint32_t count = 0, told = 0;

    for (; (event = queue_event(count)); count++) {
        Arena arena = {0};
        QueueMessage message;
        Slice body = arena_printf(&arena, EVENT("%s", "%s", "{}"), event->source, event->detail_type);

        assert_int_equal(queue_message_read(&arena, body, &message, NULL), OK);
        assert_int_equal(message.kind, event->kind);
        told += event->kind == CLOUD_MESSAGE_OTHER;
        arena_free(&arena);
    }
    assert_int_equal(count, 5);
    assert_int_equal(told, 2);
}
