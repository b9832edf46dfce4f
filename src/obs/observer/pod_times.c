#include "obs/observer/pod_times.h"

#include "base/alloc.h"
#include "base/check.h"
#include "state/table.h"

struct PodMemory {
    pthread_mutex_t lock;
    Table numbers; // uid to index of the entry
    PodTimes *entries;
    uint32_t count, capacity;
};

PodMemory *pod_memory_new(void) {
    PodMemory *memory = NEW(PodMemory);

    pthread_mutex_init(&memory->lock, NULL);
    return memory;
}

void pod_memory_free(PodMemory *memory) {
    pthread_mutex_destroy(&memory->lock);
    table_free(&memory->numbers);
    free(memory->entries);
    free(memory);
}

static PodTimes *entry_of(const PodMemory *memory, Symbol uid) {
    uint32_t number = table_get(&memory->numbers, uid);

    return number == INDEX_NONE ? NULL : &memory->entries[number];
}

void pod_memory_see(PodMemory *memory, Symbol uid, Mono now) {
    pthread_mutex_lock(&memory->lock);
    if (!entry_of(memory, uid)) {
        GROW(memory->entries, memory->capacity, memory->count + 1);
        table_put(&memory->numbers, uid, memory->count);
        memory->entries[memory->count++] = (PodTimes){.uid = uid, .seen = now};
    }
    pthread_mutex_unlock(&memory->lock);
}

bool pod_memory_get(PodMemory *memory, Symbol uid, PodTimes *ret_times) {
    const PodTimes *entry;

    pthread_mutex_lock(&memory->lock);
    entry = entry_of(memory, uid);
    if (entry)
        *ret_times = *entry;
    pthread_mutex_unlock(&memory->lock);
    return entry != NULL;
}

bool pod_memory_decide(PodMemory *memory, Symbol uid, bool placed, Mono now, PodTimes *ret_times) {
    PodTimes *entry;

    pthread_mutex_lock(&memory->lock);
    entry = entry_of(memory, uid);
    if (entry) {
        *ret_times = *entry;
        if (!mono_is_set(entry->decided))
            entry->decided = now;
        if (placed && !mono_is_set(entry->placed))
            entry->placed = now;
    }
    pthread_mutex_unlock(&memory->lock);
    return entry != NULL;
}

// The last entry moves into the gap.
void pod_memory_forget(PodMemory *memory, Symbol uid) {
    PodTimes *entry;

    pthread_mutex_lock(&memory->lock);
    entry = entry_of(memory, uid);
    if (entry) {
        const PodTimes *last = &memory->entries[memory->count - 1];

        table_remove(&memory->numbers, uid);
        if (entry != last) {
            *entry = *last;
            table_put(&memory->numbers, entry->uid, (uint32_t)(entry - memory->entries));
        }
        memory->count--;
    }
    pthread_mutex_unlock(&memory->lock);
}

void pod_memory_clear(PodMemory *memory) {
    pthread_mutex_lock(&memory->lock);
    table_free(&memory->numbers);
    memory->numbers = (Table){0};
    memory->count = 0;
    pthread_mutex_unlock(&memory->lock);
}

uint32_t pod_memory_count(PodMemory *memory) {
    uint32_t count;

    pthread_mutex_lock(&memory->lock);
    count = memory->count;
    pthread_mutex_unlock(&memory->lock);
    return count;
}
