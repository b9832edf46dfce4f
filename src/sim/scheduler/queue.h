// SchedulingQueue: active pods, pods in back-off, and unschedulable pods that wait for a change.
//
// Active pods are ordered by priority, then by arrival; those in back-off by its end; waiting ones by class, so that a
// change is checked against each class once, and by time of failure, so that none waits longer than five minutes.
// Back-off: 1 s after the first failure, doubling to 10 s. When no pod is active, those in back-off need not wait (as
// in kube-scheduler since 1.33). Private to src/sim/scheduler.
#pragma once

#include "base/heap.h"
#include "sim/scheduler/cache/parts.h"

typedef enum {
    LINE_NONE, // not to be scheduled, or in an attempt
    LINE_ACTIVE,
    LINE_BACKOFF,
    LINE_ERROR, // back-off that is always waited out: the API server refused something
    LINE_WAITING,
} SchedulingQueuePlace;

typedef struct {
    SchedulingQueuePlace place;
    uint32_t class_index;
    uint32_t failures; // failures that count for the back-off
    uint32_t plugins;  // plugins that refused it (waiting)
    int32_t priority;
    uint64_t turn;                // order of arrival
    int64_t since_ns, backoff_ns; // arrival, and end of the back-off
    uint32_t heap_at;
    uint32_t next_waiting, previous_waiting;   // in the order of failures
    uint32_t next_of_class, previous_of_class; // of waiting pods
} SchedulingQueueEntry;

typedef struct {
    SchedulingQueueEntry *entries; // by pod slot
    uint32_t entry_capacity;
    Heap active, backoff, errors;
    uint32_t first_waiting, last_waiting;
    struct SchedulingQueueClass {
        uint32_t first, last;
        uint32_t plugins; // of all waiting pods of the class
        bool listed;
        uint32_t listed_at; // index in waiting_classes
    } * classes;            // by class
    uint32_t class_capacity;
    CacheList waiting_classes; // in no order
    uint64_t turns;
    uint32_t count[LINE_WAITING + 1];
} SchedulingQueue;

void scheduling_queue_init(SchedulingQueue *queue);
void scheduling_queue_free(SchedulingQueue *queue);

// Adds a pod as active, without failures.
void scheduling_queue_add(SchedulingQueue *queue, uint32_t slot, uint32_t class_index, int32_t priority,
                          int64_t now_ns);
void scheduling_queue_remove(SchedulingQueue *queue, uint32_t slot);
bool scheduling_queue_has(const SchedulingQueue *queue, uint32_t slot);

// Takes out the next pod; CACHE_NONE: none. O(log n).
uint32_t scheduling_queue_take(SchedulingQueue *queue);
// The pod fits no node: it waits until one of the plugins may decide differently.
void scheduling_queue_wait(SchedulingQueue *queue, uint32_t slot, uint32_t plugins, int64_t now_ns);
// The pod could not be bound: retried after its back-off.
void line_retry(SchedulingQueue *queue, uint32_t slot, int64_t now_ns);

// Moves waiting pods of a class that one of the plugins refused out of waiting. O(waiting pods of the class).
void scheduling_queue_wake_class(SchedulingQueue *queue, uint32_t class_index, uint32_t plugins, int64_t now_ns);
// Moves pods whose time has come; returns whether there were any.
bool line_flush(SchedulingQueue *queue, int64_t now_ns);
// When line_flush has something to do; INT64_MAX: never.
int64_t scheduling_queue_next_ns(const SchedulingQueue *queue);
