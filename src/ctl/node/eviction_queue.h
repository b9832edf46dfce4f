// eviction-queue: evicts, or deletes, the pods of Nodes that are being drained. Behaviour: reference lifecycle.md 3.4.
//
// node.termination enqueues the pods that its drain chooses (ctl/node/drain.h), repeatedly while they exist. The queue
// decides from the State whether the drain still chooses the pod, so nothing is lost when the process ends, and a pod
// that took over another one's name is judged by its own state. What the queue remembers (earliest deadline, number of
// refusals, back-off) costs time when it is lost, nothing else.
//
// Back-off of a refused pod: 100 ms to 10 s, doubling, or longer when the server says so. It ends early when a budget
// has room again (for as many pods as it has room for), and, for a pod that do-not-disrupt protects, when the pod
// changes.
#pragma once

#include "ctl/ctl.h"

enum {
    EVICTION_BACKOFF_FIRST_MS = 100, // per pod
    EVICTION_BACKOFF_MAX_MS = 10000,
    EVICTION_RETRIES_PER_S = 100, // of all pods: rate of repeated requests, not counting pods that a budget's room woke
    EVICTION_RETRIES_AT_ONCE = 1000,
};

// Key: namespace and name of a pod.
extern const Controller eviction_queue_controller;
