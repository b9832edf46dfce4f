// Alarms of a World, ordered by time, then by setting.
//
// A heap of slots; a slot whose alarm rang or was cancelled is reused with another generation, so a stale Alarm has no
// effect. Private to src/sim/world*.
#pragma once

#include "base/heap.h"

typedef struct {
    int64_t at_ns;
    uint64_t order;      // of setting
    uint32_t place;      // in the heap; HEAP_NONE: free
    uint32_t generation; // of this slot
    void (*ring)(void *context);
    void *context;
} AlarmSlot;

// {0} is a valid empty set.
typedef struct {
    AlarmSlot *slots;
    Heap heap;
    uint32_t *free;
    uint32_t slot_count, slot_capacity, free_count, free_capacity;
    uint64_t next_order;
} Alarms;

void world_alarms_free(Alarms *alarms);

// Sets an alarm; returns its number, never 0. O(log n).
uint64_t world_alarms_set(Alarms *alarms, int64_t at_ns, void (*ring)(void *context), void *context);
// Cancels an alarm; 0 and past alarms are ignored. O(log n).
void world_alarms_cancel(Alarms *alarms, uint64_t alarm);
// Time of the next alarm; INT64_MAX: none.
int64_t world_alarms_next_ns(const Alarms *alarms);
// Takes the next alarm if it is due at `now_ns` and was set before `before` (world_alarms_mark). O(log n).
bool world_alarms_take(Alarms *alarms, int64_t now_ns, uint64_t before, AlarmSlot *ret_alarm);
// A mark: alarms that are set later are not before it.
uint64_t world_alarms_mark(const Alarms *alarms);
