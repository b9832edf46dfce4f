// A batch of the interruption queue: what its messages say of this cluster's instances, and which offerings they show
// to be unavailable. Reference aws.md 2.1 (ReceiveMessage), 3.6, 7.7.
#pragma once

#include "aws/service/sqs.h"
#include "cloud/aws/events/known.h"

enum { QUEUE_MESSAGES_MAX = 10, QUEUE_WAIT_S = 20, QUEUE_VISIBILITY_S = 20 };

// An offering that has no capacity for a while, as an interruption shows. Of a reservation the count of free places is
// zero, too.
typedef struct {
    Symbol instance_type, zone, capacity_type; // spot or reserved
    Symbol reservation_id;                     // of a reserved one, else NAME_EMPTY
} OfferingLoss;
typedef Vec(OfferingLoss) OfferingLossVec;

// A message for controllers.
typedef struct {
    CloudMessage message; // provider ids of known instances alone; none of them: it is settled without effect
    Slice handle;         // SQS's name for it, to delete it once it is settled
    int64_t sent_ns;      // of the event, since 1970; 0: it does not say
} QueueItem;
typedef Vec(QueueItem) QueueItemVec;

// A message that cannot be read: to be logged, and deleted at once.
typedef struct {
    Slice handle;
    Err err;
} QueueReject;
typedef Vec(QueueReject) QueueRejectVec;

typedef struct {
    QueueItemVec items;     // in the order of the answer, their receipts count upwards
    QueueRejectVec rejects; // in the order of the answer
    OfferingLossVec losses; // each once; of instances that are going away already, too
} QueueBatch;

// The request for the next messages: up to 10, waits for 20 s, hides them for 20 s. `url` is shared.
SqsReceiveMessageInput queue_receive_input(Arena *arena, Slice url);

// Reads what was received. `first_receipt`: the receipt of the first item; the next batch goes on behind the last one.
// Handles are shared with the answer. O(bytes of the bodies).
QueueBatch queue_read(Arena *arena, const SqsReceiveMessageOutput *answer, const KnownInstances *known,
                      uint64_t first_receipt);
