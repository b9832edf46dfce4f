// The component around the cache: what was told, what is due, what is written. Private to src/sim/scheduler.
#pragma once

#include "sim/scheduler/queue.h"
#include "sim/scheduler/scheduler.h"
#include "sim/scheduler/sources.h"

// A pod as the component knows it, by the index of its handle.
typedef struct {
    Handle handle;       // generation 0: none
    bool known;          // taken up by the cache
    bool foreign;        // another scheduler's
    bool queued;         // is in the queue, in hand or being bound
    bool is_false;       // the condition PodScheduled was written as False
    int64_t since_ns;    // of that condition
    uint64_t said;       // hash of its message and reason
    bool has_nomination; // written
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
    CacheList binding;   // pods that wait for their volumes, the longest first
    bool claims_changed; // since those were looked at
    int64_t cycle_ns, free_ns;
    uint32_t batch; // cycles in one go
    Alarm alarm;
    int64_t alarm_ns;
    Arena arena; // of one reaction
} Scheduler;

static inline Slice scheduler_text(const Scheduler *scheduler, Symbol symbol) {
    return symbol_text(world_symbols(scheduler->world), symbol);
}
static inline const Pod *scheduler_pod(const Scheduler *scheduler, uint32_t slot) {
    return state_pod(world_state(scheduler->world), scheduler->tickets[slot].handle);
}
