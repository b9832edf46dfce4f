// A batch of the queue: upstream's area "interruption" (pkg/controllers/interruption). Reference aws.md 7.7.
#include "cloud/aws/events/queue.h"
#include "harness/test.h"
#include "model/names.h"

#include <stdlib.h>

typedef struct {
    Arena arena;
    Symbols symbols;
    CloudInstanceVec instances;
    KnownInstances known;
    SqsReceiveMessageOutput answer;
} World;

static CloudInstance *add_instance(World *world, const char *provider_id, Symbol capacity_type) {
    CloudInstance *instance = vec_add(&world->arena, &world->instances);

    instance->provider_id = symbol_intern(&world->symbols, slice_of(provider_id));
    instance->instance_type = symbol_intern(&world->symbols, SLICE("m5.large"));
    instance->zone = symbol_intern(&world->symbols, SLICE("us-west-2a"));
    instance->capacity_type = capacity_type;
    return instance;
}

// i-0a and i-0b are spot, i-0c is of the reservation cr-1, i-0d on-demand.
static World *world_setup(void) {
    World *world = calloc(1, sizeof *world);

    names_init(&world->symbols);
    add_instance(world, "aws:///us-west-2a/i-0a", NAME_SPOT);
    add_instance(world, "aws:///us-west-2a/i-0b", NAME_SPOT);
    labels_set(&world->arena, &add_instance(world, "aws:///us-west-2a/i-0c", NAME_RESERVED)->labels,
               NAME_RESERVATION_ID, symbol_intern(&world->symbols, SLICE("cr-1")));
    add_instance(world, "aws:///us-west-2a/i-0d", NAME_ON_DEMAND);
    add_instance(world, "kwok://i-0e", NAME_SPOT);
    world->known = known_instances(&world->arena, &world->symbols, &world->instances);
    return world;
}

static void world_teardown(World *world) {
    arena_free(&world->arena);
    symbols_free(&world->symbols);
    free(world);
}

FIXTURE(World, world_setup, world_teardown);

// "kind:type/zone/capacity type/reservation …" of what is lost.
static Slice print_losses(World *world, const OfferingLossVec *losses) {
    Slice all = {0};

    for (vec_each(const OfferingLoss, loss, losses))
        all = arena_printf(&world->arena, "%.*s%.*s/%.*s/%.*s/%.*s ", SLICE_ARG(all),
                           SLICE_ARG(symbol_text(&world->symbols, loss->instance_type)),
                           SLICE_ARG(symbol_text(&world->symbols, loss->zone)),
                           SLICE_ARG(symbol_text(&world->symbols, loss->capacity_type)),
                           SLICE_ARG(symbol_text(&world->symbols, loss->reservation_id)));
    return all;
}

// "kind provider ids handle #receipt;" of all items.
static Slice print_items(World *world, const QueueItemVec *items) {
    Slice all = {0};

    for (vec_each(const QueueItem, item, items)) {
        all = arena_printf(&world->arena, "%.*s%d ", SLICE_ARG(all), item->message.kind);
        for (vec_each(const Symbol, id, &item->message.provider_ids))
            all =
                arena_printf(&world->arena, "%.*s%.*s ", SLICE_ARG(all), SLICE_ARG(symbol_text(&world->symbols, *id)));
        all = arena_printf(&world->arena, "%.*s%.*s#%d; ", SLICE_ARG(all), SLICE_ARG(item->handle),
                           (int)item->message.receipt);
    }
    return all;
}

static void receive(World *world, const char *handle, const char *body) {
    vec_push(&world->arena, &world->answer.messages,
             (SqsMessage){.receipt_handle = slice_of(handle), .body = slice_of(body)});
}

#define assert_printed(slice, text) assert_string_equal(arena_text(&world->arena, slice), text)

#define ABOUT(type, id)                                                                                                \
    "{\"version\":\"0\",\"source\":\"aws.ec2\",\"detail-type\":\"" type "\",\"detail\":{\"instance-id\":\"" id         \
    "\",\"state\":\"stopped\"}}"
#define SPOT        "EC2 Spot Instance Interruption Warning"
#define REBALANCE   "EC2 Instance Rebalance Recommendation"
#define STATE       "EC2 Instance State-change Notification"
#define RESERVATION "EC2 Capacity Reservation Instance Interruption Warning"

typedef struct {
    const char *name, *body;
    const char *items, *losses;
} Row;

// The numbers are those of CloudMessageKind.
static const Row rows[] = {
    {"interruption: a spot warning marks type and zone for spot (R081)", ABOUT(SPOT, "i-0a"),
     "1 aws:///us-west-2a/i-0a h#7; ", "m5.large/us-west-2a/spot/ "},
    {"interruption: a rebalance recommendation marks nothing", ABOUT(REBALANCE, "i-0a"),
     "2 aws:///us-west-2a/i-0a h#7; ", ""},
    {"interruption: a stopped instance marks nothing", ABOUT(STATE, "i-0a"), "4 aws:///us-west-2a/i-0a h#7; ", ""},
    {"interruption: a reservation's warning marks its offering (R109)", ABOUT(RESERVATION, "i-0c"),
     "6 aws:///us-west-2a/i-0c h#7; ", "m5.large/us-west-2a/reserved/cr-1 "},
    {"interruption: of a reservation that is unknown nothing is marked", ABOUT(RESERVATION, "i-0d"),
     "6 aws:///us-west-2a/i-0d h#7; ", ""},
    {"interruption: an instance of somebody else is passed over", ABOUT(SPOT, "i-0f"), "1 h#7; ", ""},
    {"interruption: an instance of another cloud is passed over", ABOUT(SPOT, "i-0e"), "1 h#7; ", ""},
    {"interruption: ids are compared as a whole", ABOUT(SPOT, "i-0"), "1 h#7; ", ""},
    {"interruption: an unknown event has no instances", ABOUT("EC2 Something Else", "i-0a"), "0 h#7; ", ""},
    {"interruption: an empty body is settled", "", "0 h#7; ", ""},
    {"interruption: several instances, those of somebody else left out",
     "{\"version\":\"0\",\"source\":\"aws.health\",\"detail-type\":\"AWS Health "
     "Event\",\"detail\":{\"service\":\"EC2\","
     "\"eventTypeCategory\":\"scheduledChange\",\"affectedEntities\":[{\"entityValue\":\"i-0b\"},{\"entityValue\":"
     "\"i-0f\"},{\"entityValue\":\"i-0a\"}]}}",
     "3 aws:///us-west-2a/i-0b aws:///us-west-2a/i-0a h#7; ", ""},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const Row, row, a_message_becomes_facts, list_rows) {
    World *world = world_setup();
    QueueBatch batch;

    receive(world, "h", row->body);
    batch = queue_read(&world->arena, &world->answer, &world->known, 7);
    assert_printed(print_items(world, &batch.items), row->items);
    assert_printed(print_losses(world, &batch.losses), row->losses);
    assert_int_equal(batch.rejects.count, 0);
    world_teardown(world);
}

TEST_F(World, world, broken_messages_are_set_apart_and_the_others_numbered) {
    QueueBatch batch;

    receive(world, "h1", ABOUT(SPOT, "i-0b"));
    receive(world, "h2", "{");
    receive(world, "h3", ABOUT(SPOT, "i-0a"));
    receive(world, "h4", "{\"time\":1}");
    receive(world, "h5", ABOUT(SPOT, "i-0a")); // delivered twice
    batch = queue_read(&world->arena, &world->answer, &world->known, 100);
    assert_printed(print_items(world, &batch.items),
                   "1 aws:///us-west-2a/i-0b h1#100; 1 aws:///us-west-2a/i-0a h3#101; "
                   "1 aws:///us-west-2a/i-0a h5#102; ");
    assert_printed(print_losses(world, &batch.losses), "m5.large/us-west-2a/spot/ ");
    assert_int_equal(batch.rejects.count, 2);
    assert_printed(batch.rejects.items[0].handle, "h2");
    assert_printed(batch.rejects.items[1].handle, "h4");
    assert_int_equal(batch.rejects.items[0].err.code, ERR_INVALID);
    assert_non_null(strstr(batch.rejects.items[1].err.text, "time: expected string, got number"));
}

TEST_F(World, world, the_time_of_an_event_is_kept) {
    receive(world, "h", "{\"time\":\"1970-01-01T00:00:07Z\"}");
    assert_int_equal(queue_read(&world->arena, &world->answer, &world->known, 1).items.items[0].sent_ns, 7000000000);
}

TEST_F(World, world, of_two_instances_with_one_id_the_first_is_found) {
    add_instance(world, "aws:///us-west-2b/i-0a", NAME_SPOT);
    world->known = known_instances(&world->arena, &world->symbols, &world->instances);
    assert_ptr_equal(known_instance_find(&world->known, SLICE("i-0a")), &world->instances.items[0]);
    assert_null(known_instance_find(&world->known, SLICE("")));
}

TEST_F(World, world, no_messages_are_an_empty_batch) {
    QueueBatch batch = queue_read(&world->arena, &world->answer, &world->known, 1);

    assert_int_equal(batch.items.count + batch.rejects.count + batch.losses.count, 0);
}

TEST_F(World, world, messages_are_asked_for_ten_at_a_time) {
    SqsReceiveMessageInput input = queue_receive_input(&world->arena, SLICE("https://sqs/q"));

    assert_printed(input.queue_url, "https://sqs/q");
    assert_int_equal(input.max_number_of_messages.value, 10);
    assert_int_equal(input.wait_time_seconds.value, 20);
    assert_int_equal(input.visibility_timeout.value, 20);
    assert_int_equal(input.message_system_attribute_names.count, 1);
    assert_printed(input.message_system_attribute_names.items[0], "SentTimestamp");
    assert_int_equal(input.message_attribute_names.count, 1);
    assert_printed(input.message_attribute_names.items[0], "All");
}
