// Two set-associative hash tables, four entries per set.
#include "engine/recorder_memory.h"

#include "base/alloc.h"
#include "base/check.h"

enum { WAYS = 4, SAID_SETS = 16384, WRITTEN_SETS = 1024 };

typedef struct {
    uint64_t hash;
    Mono until;
} Said;

struct RecorderMemory {
    Said said[SAID_SETS][WAYS];
    WrittenEvent written[WRITTEN_SETS][WAYS];
};

RecorderMemory *recorder_memory_new(void) {
    return NEW(RecorderMemory);
}

void recorder_memory_free(RecorderMemory *memory) {
    free(memory);
}

bool recorder_memory_was_said(RecorderMemory *memory, uint64_t hash, Mono now, Mono until) {
    Said *set = memory->said[hash % SAID_SETS], *victim = set;

    for (int i = 0; i < WAYS; i++) {
        if (set[i].hash == hash && !mono_reached(now, set[i].until))
            return true;
        if (set[i].until.ns < victim->until.ns)
            victim = &set[i];
    }
    *victim = (Said){hash, until};
    return false;
}

WrittenEvent *recorder_memory_find(RecorderMemory *memory, uint64_t hash) {
    WrittenEvent *set = memory->written[hash % WRITTEN_SETS];

    for (int i = 0; i < WAYS; i++) {
        if (set[i].hash == hash)
            return &set[i];
    }
    return NULL;
}

WrittenEvent *recorder_memory_add(RecorderMemory *memory, uint64_t hash) {
    WrittenEvent *set = memory->written[hash % WRITTEN_SETS], *victim = set;

    for (int i = 0; i < WAYS; i++) {
        if (set[i].last_ns < victim->last_ns)
            victim = &set[i];
    }
    *victim = (WrittenEvent){.hash = hash};
    return victim;
}

void recorder_memory_forget(RecorderMemory *memory, uint64_t hash) {
    WrittenEvent *found = recorder_memory_find(memory, hash);

    if (found)
        *found = (WrittenEvent){0};
}
