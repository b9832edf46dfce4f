// eviction-queue: pods of nodes that are drained are asked to go, or made to. Reference lifecycle.md 3.4.
//
// node.termination enqueues the pods that its drain chooses (ctl/node/drain.h), and from time to time again as long as
// they are there. The queue asks the State whether the drain still chooses the pod, so nothing is lost when the process
// ends, and a pod that took over the name of another is judged by its own facts. What it remembers (the earliest
// deadline, how often the API refused and until when it waits) costs time when it is lost, nothing else.
//
// A refused pod waits 100 ms to 10 s, doubling, or longer when the server says so; but a budget that has room again
// wakes as many of the refused as it has room for, at once, and a change of a pod that was held by do-not-disrupt wakes
// it.
#pragma once

#include "ctl/ctl.h"

enum {
    EVICTION_BACKOFF_FIRST_MS = 100, // of one pod
    EVICTION_BACKOFF_MAX_MS = 10000,
    EVICTION_RETRIES_PER_S = 100, // of all pods: repeated requests only, and not those that a budget's room woke
    EVICTION_RETRIES_AT_ONCE = 1000,
};

// Key: a pod.
extern const Controller eviction_queue_controller;
