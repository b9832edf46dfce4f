// From received messages to facts.
#include "cloud/aws/events/queue.h"

#include "cloud/aws/events/queue_message.h"
#include "model/names.h"

SqsReceiveMessageInput queue_receive_input(Arena *arena, Slice url) {
    SqsReceiveMessageInput input = {
        .queue_url = url,
        .max_number_of_messages = aws_integer(QUEUE_MESSAGES_MAX),
        .wait_time_seconds = aws_integer(QUEUE_WAIT_S),
        .visibility_timeout = aws_integer(QUEUE_VISIBILITY_S),
    };

    vec_push(arena, &input.message_system_attribute_names, SLICE("SentTimestamp"));
    vec_push(arena, &input.message_attribute_names, SLICE("All"));
    return input;
}

// The offering that the interruption of an instance shows to be out of capacity; false: none.
static bool find_loss(CloudMessageKind kind, const CloudInstance *instance, OfferingLoss *ret_loss) {
    Symbol reservation = labels_get(&instance->labels, NAME_RESERVATION_ID);
    OfferingLoss loss = {instance->instance_type, instance->zone, NAME_EMPTY, NAME_EMPTY};

    if (kind == CLOUD_MESSAGE_SPOT_INTERRUPTED) {
        loss.capacity_type = NAME_SPOT;
    } else if (kind == CLOUD_MESSAGE_RESERVATION_INTERRUPTED && reservation != INDEX_NONE) {
        loss.capacity_type = NAME_RESERVED;
        loss.reservation_id = reservation;
    }
    if (loss.capacity_type == NAME_EMPTY || loss.instance_type == NAME_EMPTY || loss.zone == NAME_EMPTY)
        return false;
    *ret_loss = loss;
    return true;
}

static void add_loss(Arena *arena, OfferingLossVec *losses, const OfferingLoss *loss) {
    for (vec_each(const OfferingLoss, other, losses)) {
        if (other->instance_type == loss->instance_type && other->zone == loss->zone &&
            other->capacity_type == loss->capacity_type && other->reservation_id == loss->reservation_id)
            return;
    }
    vec_push(arena, losses, *loss);
}

static QueueItem read_item(Arena *arena, const QueueMessage *message, const KnownInstances *known,
                           OfferingLossVec *losses) {
    QueueItem item = {.message.kind = message->kind, .sent_ns = message->sent_ns};

    for (vec_each(const Slice, id, &message->instance_ids)) {
        const CloudInstance *instance = known_instance_find(known, *id);
        OfferingLoss loss;

        if (!instance)
            continue;
        vec_push(arena, &item.message.provider_ids, instance->provider_id);
        if (find_loss(message->kind, instance, &loss))
            add_loss(arena, losses, &loss);
    }
    return item;
}

QueueBatch queue_read(Arena *arena, const SqsReceiveMessageOutput *answer, const KnownInstances *known,
                      uint64_t first_receipt) {
    QueueBatch batch = {0};

    for (vec_each(const SqsMessage, received, &answer->messages)) {
        QueueMessage message;
        QueueItem item;
        Err err;

        if (queue_message_read(arena, received->body, &message, &err) != OK) {
            vec_push(arena, &batch.rejects, (QueueReject){received->receipt_handle, err});
            continue;
        }
        item = read_item(arena, &message, known, &batch.losses);
        item.message.receipt = first_receipt + batch.items.count;
        item.handle = received->receipt_handle;
        vec_push(arena, &batch.items, item);
    }
    return batch;
}
