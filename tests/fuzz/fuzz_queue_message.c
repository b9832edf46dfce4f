// Any text as the body of a message in the interruption queue (1 MiB at most): a kind with instances, each once, within
// the maxima, or an error; and as a message received, of which the known instances remain.
#include "cloud/aws/events/queue.h"
#include "cloud/aws/events/queue_message.h"
#include "model/names.h"
#include "support/fuzz.h"

#include "base/check.h"

static void check_message(const QueueMessage *message) {
    CHECK(message->kind < CLOUD_MESSAGE_KINDS, "kind %d", message->kind);
    CHECK(message->kind != CLOUD_MESSAGE_OTHER || !message->instance_ids.count, "instances of nothing");
    CHECK(message->instance_ids.count <= QUEUE_BODY_INSTANCES_MAX, "%u instances", message->instance_ids.count);
    for (uint32_t i = 0; i < message->instance_ids.count; i++) {
        CHECK(message->instance_ids.items[i].len, "an empty id");
        for (uint32_t j = 0; j < i; j++)
            CHECK(!slice_eq(message->instance_ids.items[i], message->instance_ids.items[j]), "an instance twice");
    }
}

static void check_batch(Arena *arena, Symbols *symbols, Slice body, bool is_sound) {
    CloudInstance instance = {.provider_id = symbol_intern(symbols, SLICE("aws:///us-west-2a/i-0a"))};
    SqsMessage received = {.receipt_handle = SLICE("h"), .body = body};
    CloudInstanceVec instances = {&instance, 1, 1};
    SqsReceiveMessageOutput answer = {.messages = {&received, 1, 1}};
    KnownInstances known = known_instances(arena, symbols, &instances);
    QueueBatch batch = queue_read(arena, &answer, &known, 1);

    CHECK(batch.items.count == is_sound && batch.rejects.count == !is_sound, "a message is lost");
    CHECK(!is_sound || batch.items.items[0].message.provider_ids.count <= 1, "one instance is known");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Slice body = {(const char *)bytes, size};
    QueueMessage message = {0};
    Arena arena = {0};
    Symbols symbols;
    Err err = {0};
    ErrCode code = queue_message_read(&arena, body, &message, &err);

    names_init(&symbols);
    if (code == OK)
        check_message(&message);
    else
        CHECK((code == ERR_INVALID || code == ERR_TOO_LARGE) && err.text[0], "refused without a word: %d", code);
    check_batch(&arena, &symbols, body, code == OK);
    symbols_free(&symbols);
    arena_free(&arena);
    return 0;
}
