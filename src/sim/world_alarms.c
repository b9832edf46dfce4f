// A binary heap of alarms.
#include "sim/world_alarms.h"

#include "base/check.h"

#include <stdlib.h>

static const uint32_t FREE = UINT32_MAX;

void world_alarms_free(Alarms *alarms) {
    free(alarms->slots);
    free(alarms->heap);
    free(alarms->free);
    *alarms = (Alarms){0};
}

static bool is_before(const Alarms *alarms, uint32_t a, uint32_t b) {
    const AlarmSlot *x = &alarms->slots[a], *y = &alarms->slots[b];

    return x->at_ns != y->at_ns ? x->at_ns < y->at_ns : x->order < y->order;
}

static void put(Alarms *alarms, uint32_t place, uint32_t slot) {
    alarms->heap[place] = slot;
    alarms->slots[slot].place = place;
}

static void sift_up(Alarms *alarms, uint32_t place) {
    uint32_t slot = alarms->heap[place];

    for (; place && is_before(alarms, slot, alarms->heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(alarms, place, alarms->heap[(place - 1) / 2]);
    put(alarms, place, slot);
}

static void sift_down(Alarms *alarms, uint32_t place) {
    uint32_t slot = alarms->heap[place];

    for (;;) {
        uint32_t child = 2 * place + 1;

        if (child >= alarms->count)
            break;
        if (child + 1 < alarms->count && is_before(alarms, alarms->heap[child + 1], alarms->heap[child]))
            child++;
        if (!is_before(alarms, alarms->heap[child], slot))
            break;
        put(alarms, place, alarms->heap[child]);
        place = child;
    }
    put(alarms, place, slot);
}

static void *grow(void *items, size_t size, uint32_t count) {
    void *larger = realloc(items, size * count);

    CHECK(larger, "no memory for %u alarms", count);
    return larger;
}

static uint32_t new_slot(Alarms *alarms) {
    if (alarms->free_count)
        return alarms->free[--alarms->free_count];
    if (alarms->slot_count == alarms->slot_capacity) {
        alarms->slot_capacity = alarms->slot_capacity ? 2 * alarms->slot_capacity : 64;
        alarms->slots = grow(alarms->slots, sizeof *alarms->slots, alarms->slot_capacity);
        alarms->heap = grow(alarms->heap, sizeof *alarms->heap, alarms->slot_capacity);
        alarms->free = grow(alarms->free, sizeof *alarms->free, alarms->slot_capacity);
    }
    alarms->slots[alarms->slot_count] = (AlarmSlot){0};
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
    put(alarms, alarms->count++, number);
    sift_up(alarms, slot->place);
    return (uint64_t)slot->generation << 32 | number;
}

static void take_out(Alarms *alarms, uint32_t number) {
    uint32_t place = alarms->slots[number].place, last = alarms->heap[--alarms->count];

    alarms->slots[number].place = FREE;
    alarms->free[alarms->free_count++] = number;
    if (place == alarms->count)
        return;
    put(alarms, place, last);
    sift_up(alarms, place);
    sift_down(alarms, alarms->slots[last].place);
}

void world_alarms_cancel(Alarms *alarms, uint64_t alarm) {
    uint32_t number = (uint32_t)alarm, generation = (uint32_t)(alarm >> 32);

    if (alarm == 0 || number >= alarms->slot_count || alarms->slots[number].generation != generation ||
        alarms->slots[number].place == FREE)
        return;
    take_out(alarms, number);
}

int64_t world_alarms_next_ns(const Alarms *alarms) {
    return alarms->count ? alarms->slots[alarms->heap[0]].at_ns : INT64_MAX;
}

bool world_alarms_take(Alarms *alarms, int64_t now_ns, uint64_t before, AlarmSlot *ret_alarm) {
    uint32_t number;

    if (world_alarms_next_ns(alarms) > now_ns)
        return false;
    number = alarms->heap[0];
    if (alarms->slots[number].order >= before)
        return false;
    *ret_alarm = alarms->slots[number];
    take_out(alarms, number);
    return true;
}

uint64_t world_alarms_mark(const Alarms *alarms) {
    return alarms->next_order;
}
