// Alarm slots, and a heap of their numbers.
#include "sim/world_alarms.h"

#include "base/alloc.h"

void world_alarms_free(Alarms *alarms) {
    free(alarms->slots);
    heap_free(&alarms->heap);
    free(alarms->free);
    *alarms = (Alarms){0};
}

static bool is_before(const void *owner, uint32_t a, uint32_t b) {
    const Alarms *alarms = owner;
    const AlarmSlot *x = &alarms->slots[a], *y = &alarms->slots[b];

    return x->at_ns != y->at_ns ? x->at_ns < y->at_ns : x->order < y->order;
}

static uint32_t *place_of(void *alarms, uint32_t slot) {
    return &((Alarms *)alarms)->slots[slot].place;
}

static const HeapOrder by_time = {is_before, place_of};

static uint32_t new_slot(Alarms *alarms) {
    if (alarms->free_count)
        return alarms->free[--alarms->free_count];
    GROW(alarms->slots, alarms->slot_capacity, alarms->slot_count + 1);
    return alarms->slot_count++;
}

uint64_t world_alarms_set(Alarms *alarms, int64_t at_ns, void (*ring)(void *context), void *context) {
    uint32_t number = new_slot(alarms);
    AlarmSlot *slot = &alarms->slots[number];

    slot->at_ns = at_ns;
    slot->order = alarms->next_order++;
    slot->generation++;
    slot->ring = ring;
    slot->context = context;
    heap_add(&alarms->heap, &by_time, alarms, number);
    return (uint64_t)slot->generation << 32 | number;
}

static void take_out(Alarms *alarms, uint32_t number) {
    heap_remove(&alarms->heap, &by_time, alarms, number);
    GROW(alarms->free, alarms->free_capacity, alarms->free_count + 1);
    alarms->free[alarms->free_count++] = number;
}

void world_alarms_cancel(Alarms *alarms, uint64_t alarm) {
    uint32_t number = (uint32_t)alarm, generation = (uint32_t)(alarm >> 32);

    if (alarm == 0 || number >= alarms->slot_count || alarms->slots[number].generation != generation ||
        alarms->slots[number].place == HEAP_NONE)
        return;
    take_out(alarms, number);
}

int64_t world_alarms_next_ns(const Alarms *alarms) {
    return alarms->heap.count ? alarms->slots[alarms->heap.items[0]].at_ns : INT64_MAX;
}

bool world_alarms_take(Alarms *alarms, int64_t now_ns, uint64_t before, AlarmSlot *ret_alarm) {
    uint32_t number;

    if (world_alarms_next_ns(alarms) > now_ns)
        return false;
    number = alarms->heap.items[0];
    if (alarms->slots[number].order >= before)
        return false;
    *ret_alarm = alarms->slots[number];
    take_out(alarms, number);
    return true;
}

uint64_t world_alarms_mark(const Alarms *alarms) {
    return alarms->next_order;
}
