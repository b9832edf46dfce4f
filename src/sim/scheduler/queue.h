// The scheduling queue: who is looked at next, who waits out a backoff, who waits for something to change.
//
// Active pods in the order of priority, then of the time they came; backoff by its end; waiting ones by class, so that
// a change is held against each class once, and in the order of their failures, so that none waits longer than five
// minutes. Backoff: 1 s after the first failure, doubling to 10 s. When nobody is active, those in backoff need not
// wait (kube-scheduler does so since 1.33). Private to src/sim/scheduler.
#pragma once

#include "base/heap.h"
#include "sim/scheduler/cache/parts.h"

typedef enum {
    LINE_NONE, // not to be scheduled, or in hand
    LINE_ACTIVE,
    LINE_BACKOFF,
    LINE_ERROR, // a backoff that is waited out in any case: the API server refused something
    LINE_WAITING,
} SchedulingQueuePlace;

typedef struct {
    SchedulingQueuePlace place;
    uint32_t class_index;
    uint32_t failures; // that count for the backoff
    uint32_t plugins;  // that refused it (waiting)
    int32_t priority;
    uint64_t turn;                // order of coming
    int64_t since_ns, backoff_ns; // when it came, and the end of its backoff
    uint32_t heap_at;
    uint32_t next_waiting, previous_waiting;   // in the order of failures
    uint32_t next_of_class, previous_of_class; // of those waiting
} SchedulingQueueEntry;

typedef struct {
    SchedulingQueueEntry *entries; // by pod slot
    uint32_t entry_capacity;
    Heap active, backoff, errors;
    uint32_t first_waiting, last_waiting;
    struct SchedulingQueueClass {
        uint32_t first, last;
        uint32_t plugins; // of any that waits
        bool listed;
        uint32_t listed_at; // in waiting_classes
    } * classes;            // by class
    uint32_t class_capacity;
    CacheList waiting_classes; // in no order
    uint64_t turns;
    uint32_t count[LINE_WAITING + 1];
} SchedulingQueue;

void scheduling_queue_init(SchedulingQueue *queue);
void scheduling_queue_free(SchedulingQueue *queue);

// A pod that is to be scheduled; comes in as active, and forgets its failures.
void scheduling_queue_add(SchedulingQueue *queue, uint32_t slot, uint32_t class_index, int32_t priority,
                          int64_t now_ns);
void scheduling_queue_remove(SchedulingQueue *queue, uint32_t slot);
bool scheduling_queue_has(const SchedulingQueue *queue, uint32_t slot);

// The next pod to look at, taken out; CACHE_NONE: none. O(log n).
uint32_t scheduling_queue_take(SchedulingQueue *queue);
// It fits nowhere: waits for one of the plugins to answer otherwise.
void scheduling_queue_wait(SchedulingQueue *queue, uint32_t slot, uint32_t plugins, int64_t now_ns);
// It could not be bound: again after its backoff.
void line_retry(SchedulingQueue *queue, uint32_t slot, int64_t now_ns);

// Waiting pods of a class that one of the plugins refused may go on. O(pods of the class that wait).
void scheduling_queue_wake_class(SchedulingQueue *queue, uint32_t class_index, uint32_t plugins, int64_t now_ns);
// Those whose time has come. Whether there were any.
bool line_flush(SchedulingQueue *queue, int64_t now_ns);
// When line_flush has something to do; INT64_MAX: never.
int64_t scheduling_queue_next_ns(const SchedulingQueue *queue);
