// Bodies of messages in the interruption queue: events of EventBridge, as JSON.
//
// What an event is about is told by its version, source and detail type; of each such kind a table lists the members
// that are read, everything else is passed over. The same event may come twice: nothing is remembered here, because
// what is done about it is the same the second time. Behaviour: reference aws.md 7.7, 13.1.
#pragma once

#include "cloud/cloud.h"

// Maxima of a body. SQS itself takes 1 MiB.
enum {
    QUEUE_BODY_BYTES_MAX = 1 << 20,
    QUEUE_BODY_DEPTH_MAX = 32,
    QUEUE_BODY_VALUES_MAX = 100000,
    QUEUE_BODY_INSTANCES_MAX = 10000,
};

typedef struct {
    CloudMessageKind kind;
    SliceVec instance_ids; // of any instances of the account, each once, in the order of the body; none of kind OTHER
    int64_t sent_ns;       // when it happened, since 1970; 0: the event does not say
} QueueMessage;

// An event that somebody acts on, as a rule of EventBridge names it.
typedef struct {
    const char *source, *detail_type;
    CloudMessageKind kind; // OTHER: the detail tells
} QueueEvent;

// By number, from 0 on; NULL: there are no more. O(1).
const QueueEvent *queue_event(uint32_t number);

// Reads a body. An empty one, an unknown event, one of AWS Health about something else and a state that nobody acts on
// are CLOUD_MESSAGE_OTHER. Unlike upstream's, the states' words are compared without regard to case throughout, so that
// "Stopping" is stopped, not terminated. Results are in `arena`. O(bytes).
// ERR_INVALID: no JSON object, a member of another type than expected, a time that is not RFC 3339. ERR_TOO_LARGE: a
// maximum. Such a message is to be deleted, it would never become better.
ErrCode queue_message_read(Arena *arena, Slice body, QueueMessage *ret_message, Err *err);
