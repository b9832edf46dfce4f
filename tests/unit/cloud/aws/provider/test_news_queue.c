// The interruption queue: upstream's area "interruption" (pkg/controllers/interruption, pkg/providers/sqs). Reference
// aws.md 2.1, 7.7, 13.1.
#include "cloud/aws/provider/neighbours.h"
#include "cloud/support/provider_world.h"

static ProviderWorld *setup(void) {
    ProviderWorld *w = provider_world("us-east-1", NULL);

    provider_listed(w, "i-1 i-2 i-3:cr-1");
    return w;
}

FIXTURE(ProviderWorld, setup, provider_world_free);

#define GET_URL "GetQueueUrl"
#define RECEIVE "AmazonSQS.ReceiveMessage"
#define DELETE  "AmazonSQS.DeleteMessage"
#define URL     "{\"QueueUrl\": \"https://sqs.us-east-1.amazonaws.com/1/q\"}"

#define EVENT(source, type, detail)                                                                                    \
    "{\\\"version\\\": \\\"0\\\", \\\"source\\\": \\\"" source "\\\", \\\"detail-type\\\": \\\"" type                  \
    "\\\", \\\"time\\\": \\\"2026-11-23T07:59:00Z\\\", \\\"detail\\\": {" detail "}}"
#define ID(id) "\\\"instance-id\\\": \\\"" id "\\\""
#define STATE(id, state)                                                                                               \
    EVENT("aws.ec2", "EC2 Instance State-change Notification", ID(id) ", \\\"state\\\": \\\"" state "\\\"")
#define SPOT(id)     EVENT("aws.ec2", "EC2 Spot Instance Interruption Warning", ID(id))
#define RESERVED(id) EVENT("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning", ID(id))
#define CHANGE(id)                                                                                                     \
    EVENT("aws.health", "AWS Health Event",                                                                            \
          "\\\"service\\\": \\\"EC2\\\", \\\"eventTypeCategory\\\": "                                                  \
          "\\\"scheduledChange\\\", \\\"affectedEntities\\\": [{\\\"entityValue\\\": \\\"" id "\\\"}]")
#define MESSAGE(handle, body) "{\"MessageId\": \"m\", \"ReceiptHandle\": \"" handle "\", \"Body\": \"" body "\"}"
#define MESSAGES(list)        "{\"Messages\": [" list "]}"

static ErrCode receive(ProviderWorld *w, CloudMessageVec *messages) {
    *messages = (CloudMessageVec){0};
    w->error = (CloudError){0};
    return provider_receive(w->provider, &w->arena, messages, &w->error);
}

static const char *received(ProviderWorld *w) {
    CloudMessageVec messages;

    if (receive(w, &messages) != OK)
        fail_msg("%s", w->error.err.text);
    return provider_messages(w, &messages);
}

static void script(ProviderWorld *w, const char *answer) {
    provider_script(w, GET_URL, URL);
    provider_script(w, RECEIVE, answer);
    provider_script(w, DELETE, "");
}

// One answer of the queue, and what it says to controllers; how many are deleted at once.
typedef struct {
    const char *name, *answer, *wanted;
    uint32_t deleted;
} Row;

#define AREA "interruption: "

static const Row rows[] = {
    {AREA "nothing", "{}", "", 0},
    {AREA "an empty list", MESSAGES(""), "", 0},
    {AREA "a spot interruption", MESSAGES(MESSAGE("h", SPOT("i-1"))), "spot i-1", 0},
    {AREA "a rebalance recommendation",
     MESSAGES(MESSAGE("h", EVENT("aws.ec2", "EC2 Instance Rebalance Recommendation", ID("i-1")))), "rebalance i-1", 0},
    {AREA "a scheduled change", MESSAGES(MESSAGE("h", CHANGE("i-2"))), "change i-2", 0},
    {AREA "stopping", MESSAGES(MESSAGE("h", STATE("i-1", "stopping"))), "stopped i-1", 0},
    {AREA "shutting down", MESSAGES(MESSAGE("h", STATE("i-1", "shutting-down"))), "terminated i-1", 0},
    {AREA "running", MESSAGES(MESSAGE("h", STATE("i-1", "running"))), "other", 0},
    {AREA "a reservation's interruption", MESSAGES(MESSAGE("h", RESERVED("i-3"))), "reservation i-3", 0},
    {AREA "of an instance that is not ours", MESSAGES(MESSAGE("h", SPOT("i-9"))), "spot", 0},
    {AREA "an unknown event", MESSAGES(MESSAGE("h", EVENT("aws.s3", "x", ""))), "other", 0},
    {AREA "an empty body", MESSAGES(MESSAGE("h", "")), "other", 0},
    {AREA "a broken body is deleted at once", MESSAGES(MESSAGE("h", "{")), "", 1},
    {AREA "broken ones beside a good one",
     MESSAGES(MESSAGE("a", "[]") "," MESSAGE("b", SPOT("i-2")) "," MESSAGE("c", "nonsense")), "spot i-2", 2},
    {AREA "a broken one without a handle", MESSAGES("{\"Body\": \"{\"}"), "", 0},
    {AREA "one event twice in one answer", MESSAGES(MESSAGE("a", SPOT("i-1")) "," MESSAGE("b", SPOT("i-1"))),
     "spot i-1; spot i-1", 0},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const Row, row, an_answer_is_read, list_rows) {
    ProviderWorld *w = setup();

    script(w, row->answer);
    assert_string_equal(received(w), row->wanted);
    assert_int_equal(provider_asked(w, DELETE), row->deleted);
    provider_world_free(w);
}

TEST_F(ProviderWorld, w, messages_are_asked_for_as_upstream_does) {
    script(w, "{}");
    received(w);
    assert_int_equal(provider_asked(w, "\"MaxNumberOfMessages\":10"), 1);
    assert_int_equal(provider_asked(w, "\"WaitTimeSeconds\":20"), 1);
    assert_int_equal(provider_asked(w, "\"VisibilityTimeout\":20"), 1);
    assert_int_equal(provider_asked(w, "\"MessageSystemAttributeNames\":[\"SentTimestamp\"]"), 1);
}

TEST_F(ProviderWorld, w, a_message_tells_when_it_was_sent) {
    CloudMessageVec messages;

    script(w, MESSAGES(MESSAGE("h", SPOT("i-1"))));
    assert_int_equal(receive(w, &messages), OK);
    assert_int_equal(messages.items[0].sent_ns, MEMORY_BEGIN_NS - NS_PER_MIN);
}

TEST_F(ProviderWorld, w, the_address_is_asked_for_once) {
    script(w, "{}");
    for (int i = 0; i < 3; i++)
        received(w);
    assert_int_equal(provider_asked(w, "AmazonSQS.GetQueueUrl"), 1);
    assert_int_equal(provider_asked(w, RECEIVE), 3);
}

TEST_F(ProviderWorld, w, an_address_that_could_not_be_had_is_asked_for_again) {
    CloudMessageVec messages;

    provider_script_reply(w, (Scripted){GET_URL, NULL, {.status = 503, .body = "{}"}, 3, 0});
    script(w, "{}");
    assert_int_equal(receive(w, &messages), ERR_IO);
    assert_int_equal(receive(w, &messages), OK);
}

#define FAULT(code) "{\"__type\": \"com.amazonaws.sqs#" code "\", \"message\": \"m\"}"

// R128: instances are launched and ended without it.
TEST_F(ProviderWorld, w, a_queue_that_is_missing_is_retried_and_said_how_to_make) {
    CloudMessageVec messages;

    provider_script_reply(w, (Scripted){GET_URL, NULL, {.status = 400, .body = FAULT("QueueDoesNotExist")}, 0, 0});
    assert_int_equal(receive(w, &messages), ERR_IO);
    assert_non_null(strstr(w->error.err.text, "aws sqs create-queue --queue-name q"));
}

TEST_F(ProviderWorld, w, a_queue_that_went_is_looked_for_again) {
    CloudMessageVec messages;

    provider_script_reply(w, (Scripted){RECEIVE, NULL, {.status = 400, .body = FAULT("QueueDoesNotExist")}, 1, 0});
    script(w, "{}");
    assert_int_equal(receive(w, &messages), ERR_IO);
    assert_int_equal(receive(w, &messages), OK);
    assert_int_equal(provider_asked(w, "AmazonSQS.GetQueueUrl"), 2);
}

TEST_F(ProviderWorld, w, missing_rights_are_named) {
    CloudMessageVec messages;

    provider_script_reply(w, (Scripted){GET_URL, NULL, {.status = 400, .body = FAULT("AccessDeniedException")}, 0, 0});
    assert_int_equal(receive(w, &messages), ERR_DENIED);
    assert_non_null(strstr(w->error.err.text, "sqs:ReceiveMessage"));
}

TEST_F(ProviderWorld, w, an_answer_without_an_address_is_an_error) {
    CloudMessageVec messages;

    provider_script(w, GET_URL, "{}");
    assert_int_equal(receive(w, &messages), ERR_IO);
}

static ErrCode receive_failing(ProviderWorld *w, MemoryReply reply) {
    CloudMessageVec messages;

    provider_script(w, GET_URL, URL);
    provider_script_reply(w, (Scripted){RECEIVE, NULL, reply, 0, 0});
    return receive(w, &messages);
}

TEST_F(ProviderWorld, w, a_lost_answer_is_an_error) {
    assert_int_equal(receive_failing(w, (MemoryReply){.code = ERR_IO}), ERR_IO);
}

TEST_F(ProviderWorld, w, throttling_is_an_error_to_wait_on) {
    assert_int_equal(receive_failing(w, (MemoryReply){.status = 400, .body = FAULT("ThrottlingException")}),
                     ERR_THROTTLED);
}

TEST(without_a_queue_there_is_none) {
    AwsProviderSettings settings = AWS_PROVIDER_SETTINGS;
    ProviderWorld *w = provider_world("us-east-1", &settings);
    CloudMessageVec messages;

    assert_int_equal(receive(w, &messages), ERR_NOT_FOUND);
    assert_int_equal(w->memory->sent.count, 0);
    provider_world_free(w);
}

// --- settling

static uint64_t receive_one(ProviderWorld *w) {
    CloudMessageVec messages;

    assert_int_equal(receive(w, &messages), OK);
    assert_int_equal(messages.count, 1);
    return messages.items[0].receipt;
}

static ErrCode settle(ProviderWorld *w, uint64_t receipt) {
    w->error = (CloudError){0};
    return provider_settle(w->provider, receipt, &w->error);
}

TEST_F(ProviderWorld, w, what_is_settled_is_deleted_once) {
    uint64_t receipt;

    script(w, MESSAGES(MESSAGE("handle-1", SPOT("i-1"))));
    receipt = receive_one(w);
    assert_int_equal(settle(w, receipt), OK);
    assert_int_equal(provider_asked(w, "\"ReceiptHandle\":\"handle-1\""), 1);
    assert_int_equal(settle(w, receipt), OK);
    assert_int_equal(provider_asked(w, DELETE), 1);
}

TEST_F(ProviderWorld, w, a_message_that_came_twice_is_settled_twice) {
    uint64_t first, second;

    script(w, MESSAGES(MESSAGE("handle-1", SPOT("i-1"))));
    first = receive_one(w);
    second = receive_one(w);
    assert_int_not_equal(first, second);
    assert_int_equal(settle(w, first), OK);
    assert_int_equal(settle(w, second), OK);
    assert_int_equal(provider_asked(w, DELETE), 2);
}

TEST_F(ProviderWorld, w, a_receipt_that_is_not_known_is_fine) {
    assert_int_equal(settle(w, 12345), OK);
    assert_int_equal(settle(w, 0), OK);
    assert_int_equal(w->memory->sent.count, 0);
}

TEST_F(ProviderWorld, w, a_deletion_that_fails_can_be_made_again) {
    uint64_t receipt;

    provider_script_reply(w, (Scripted){DELETE, NULL, {.code = ERR_IO}, 3, 0});
    script(w, MESSAGES(MESSAGE("h", SPOT("i-1"))));
    receipt = receive_one(w);
    assert_int_equal(settle(w, receipt), ERR_IO);
    assert_int_equal(settle(w, receipt), OK);
    assert_int_equal(provider_asked(w, DELETE), 4);
}

TEST_F(ProviderWorld, w, a_handle_that_has_ended_is_settled) {
    uint64_t receipt;

    provider_script_reply(w, (Scripted){DELETE, NULL, {.status = 400, .body = FAULT("ReceiptHandleIsInvalid")}, 0, 0});
    script(w, MESSAGES(MESSAGE("h", SPOT("i-1"))));
    receipt = receive_one(w);
    assert_int_equal(settle(w, receipt), OK);
}

TEST_F(ProviderWorld, w, of_very_many_messages_the_last_ones_are_remembered) {
    uint64_t first, last = 0;

    script(w, MESSAGES(MESSAGE("h", SPOT("i-1"))));
    first = receive_one(w);
    for (int i = 0; i < 1100; i++)
        last = receive_one(w);
    assert_int_equal(settle(w, first), OK);
    assert_int_equal(provider_asked(w, DELETE), 0);
    assert_int_equal(settle(w, last), OK);
    assert_int_equal(provider_asked(w, DELETE), 1);
}

// --- what else follows

#define ZONE_A "status:\n  subnets: [{id: s, zone: us-east-1a, zoneID: use1-az1}]\n"

TEST_F(ProviderWorld, w, a_spot_interruption_marks_its_offering_for_three_minutes) {
    provider_class(w, "default", ZONE_A);
    assert_non_null(strstr(provider_offers(w, "default", "m5.large"), "spot:a+"));
    memory_pass(w->memory, NS_PER_S);
    script(w, MESSAGES(MESSAGE("h", SPOT("i-1"))));
    received(w);
    assert_non_null(strstr(provider_offers(w, "default", "m5.large"), "spot:a-"));
    assert_non_null(strstr(provider_offers(w, "default", "m5.large"), "on-demand:a+"));
    memory_pass(w->memory, 180 * NS_PER_S);
    assert_non_null(strstr(provider_offers(w, "default", "m5.large"), "spot:a+"));
}

TEST_F(ProviderWorld, w, the_end_of_an_instance_marks_nothing) {
    const InstanceTypeVec *before;

    provider_class(w, "default", ZONE_A);
    before = provider_types(w->provider, SLICE("default"));
    memory_pass(w->memory, NS_PER_S);
    script(w, MESSAGES(MESSAGE("h", STATE("i-1", "terminated"))));
    received(w);
    assert_ptr_equal(provider_types(w->provider, SLICE("default")), before);
}

TEST_F(ProviderWorld, w, broken_messages_are_logged_once_a_minute) {
    script(w, MESSAGES(MESSAGE("h", "{")));
    for (int i = 0; i < 50; i++)
        received(w);
    assert_int_equal(provider_asked(w, DELETE), 50);
    assert_true(provider_logged(w, "deleted messages of the interruption queue that cannot be read [q] 1;"));
    assert_null(strstr(strstr(w->log.bytes, "cannot be read") + 1, "cannot be read"));
    memory_pass(w->memory, NS_PER_MIN);
    received(w);
    assert_true(provider_logged(w, "[q] 50;"));
}

TEST_F(ProviderWorld, w, a_broken_message_that_cannot_be_deleted_does_not_keep_the_others) {
    provider_script_reply(w, (Scripted){DELETE, NULL, {.code = ERR_IO}, 0, 0});
    script(w, MESSAGES(MESSAGE("a", "{") "," MESSAGE("b", SPOT("i-1"))));
    assert_string_equal(received(w), "spot i-1");
}

// --- whom messages are about

TEST_F(ProviderWorld, w, an_instance_that_was_just_launched_is_known) {
    CloudInstance launched = provider_an_instance(w, SLICE("i-new"));

    provider_news_launched(w->provider, &launched);
    script(w, MESSAGES(MESSAGE("h", SPOT("i-new"))));
    assert_string_equal(received(w), "spot i-new");
    provider_listed(w, "i-1"); // EC2 does not show it yet
    assert_string_equal(received(w), "spot i-new");
    memory_pass(w->memory, 2 * NS_PER_MIN);
    assert_string_equal(received(w), "spot i-new"); // no list since
    provider_listed(w, "i-1");
    assert_string_equal(received(w), "spot");
}

TEST_F(ProviderWorld, w, an_instance_that_is_no_longer_listed_is_not_known) {
    provider_listed(w, "i-2");
    script(w, MESSAGES(MESSAGE("h", SPOT("i-1")) "," MESSAGE("g", SPOT("i-2"))));
    assert_string_equal(received(w), "spot; spot i-2");
}

TEST(nothing_is_received_before_instances_were_listed) {
    ProviderWorld *w = provider_world("us-east-1", NULL);
    CloudMessageVec messages;

    provider_script(w, GET_URL, URL);
    provider_script_reply(w, (Scripted){"Action=DescribeInstances", NULL, {.code = ERR_IO}, 0, 0});
    assert_int_not_equal(receive(w, &messages), OK);
    assert_int_equal(provider_asked(w, RECEIVE), 0);
    provider_world_free(w);
}

// --- with the parts beside

TEST(instances_are_listed_once_by_who_receives_first) {
    ProviderWorld *w = provider_world("us-east-1", NULL);

    provider_script(w, "Action=DescribeInstances",
                    "<DescribeInstancesResponse><reservationSet><item><instancesSet><item><instanceId>i-1</instanceId>"
                    "<instanceType>m5.large</instanceType><imageId>ami-1</imageId><instanceState><name>running</name>"
                    "</instanceState><placement><availabilityZone>us-east-1a</availabilityZone></placement>"
                    "<spotInstanceRequestId>sir-1</spotInstanceRequestId></item></instancesSet></item>"
                    "</reservationSet></DescribeInstancesResponse>");
    script(w, MESSAGES(MESSAGE("h", SPOT("i-1"))));
    assert_string_equal(received(w), "spot i-1");
    assert_string_equal(received(w), "spot i-1");
    assert_int_equal(provider_asked(w, "Action=DescribeInstances"), 1);
    provider_world_free(w);
}

TEST_F(ProviderWorld, w, a_launch_into_a_reservation_takes_a_place) {
    provider_class(w, "default",
                   ZONE_A
                   "  capacityReservations: [{id: cr-1, availabilityZone: us-east-1a, instanceType: m5.large, "
                   "ownerID: \"1\", reservationType: default, state: active, instanceMatchCriteria: targeted}]\n");
    (*vec_last(&w->snapshots))->class.reservations.items[0].available_count = 5;
    provider_types_class_changed(w->provider, SLICE("default"), *vec_last(&w->snapshots));
    assert_non_null(strstr(provider_offers(w, "default", "m5.large"), "a+cr-1=5"));
    memory_pass(w->memory, NS_PER_S);
    provider_neighbours.reservation_launched(w->provider, symbol_intern(&w->provider->symbols, SLICE("cr-1")));
    assert_non_null(strstr(provider_offers(w, "default", "m5.large"), "a+cr-1=4"));
}
