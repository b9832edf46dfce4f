// The scheduler component around the cache: changes, queue, writes. Private to src/sim/scheduler.
#pragma once

#include "sim/scheduler/queue.h"
#include "sim/scheduler/scheduler.h"
#include "sim/scheduler/sources.h"

// Ticket of a pod, by the index of its handle.
typedef struct {
    Handle handle;       // generation 0: none
    bool known;          // it is in the cache
    bool foreign;        // of another scheduler
    bool queued;         // in the queue, in an attempt, or being bound
    bool is_false;       // its condition PodScheduled was written as False
    int64_t since_ns;    // of that condition
    uint64_t said;       // hash of the condition's message and reason
    bool has_nomination; // a nomination was written
    // While it waits for its volumes.
    bool binding;
    int64_t binding_until_ns;
} Ticket;

typedef struct {
    KubeKind kind;
    Handle handle;
    Symbol ns, name;
} SeenChange;

typedef struct {
    World *world;
    StateSources sources;
    SchedulerCache *cache;
    SchedulingQueue queue;
    Ticket *tickets;
    uint32_t ticket_capacity;
    SeenChange *changes;
    uint32_t change_count, change_capacity;
    CacheList binding;   // pods that wait for their volumes, longest first
    bool claims_changed; // since these pods were last checked
    int64_t cycle_ns, free_ns;
    uint32_t batch; // number of attempts in one reaction
    Alarm alarm;
    int64_t alarm_ns;
    Arena arena; // freed with each reaction
} Scheduler;

static inline Slice scheduler_text(const Scheduler *scheduler, Symbol symbol) {
    return symbol_text(world_symbols(scheduler->world), symbol);
}
static inline const Pod *scheduler_pod(const Scheduler *scheduler, uint32_t slot) {
    return state_pod(world_state(scheduler->world), scheduler->tickets[slot].handle);
}
