// Policies of queues: who may send messages to one.
#pragma once

#include "base/arena.h"

typedef enum {
    QUEUE_POLICY_SILENT, // nothing lets the service send
    QUEUE_POLICY_ALLOWS,
    QUEUE_POLICY_DENIES, // whatever else there is
} QueuePolicyVerdict;

// What a queue's policy says to a service of AWS ("events.amazonaws.com") that sends it messages. `policy` is JSON, as
// SQS has it in the attribute Policy; what is no policy is silent. Conditions are not judged, nor what a statement says
// by what it is not for (NotAction, NotPrincipal, NotResource): what these allow counts as allowed, what they deny
// does not count. O(policy).
QueuePolicyVerdict queue_policy_verdict(Arena *arena, Slice policy, Slice queue_arn, Slice service);
// The policy with a statement that lets the service send; without what it has if it cannot be read. It has no single
// quote, so that it can stand between two of them. O(policy).
Slice queue_policy_with_sender(Arena *arena, Slice policy, Slice queue_arn, Slice service);
