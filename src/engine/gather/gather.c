// Groups of jobs that wait: a table finds them by what they have in common, a heap by the ends of their windows. They
// lie in one array and are reused; table and heap hold their numbers. A group without jobs is one that rests: a call
// was made for it a moment ago.
#include "engine/gather/gather.h"

#include "base/alloc.h"
#include "base/heap.h"
#include "engine/gather/launch_hash.h"
#include "state/table.h"

enum { NONE = UINT32_MAX };

typedef struct {
    uint64_t key;
    EngineJob *first, *last;
    uint32_t count;
    uint32_t next;  // in the free list
    uint32_t place; // in the heap
    uint64_t order; // of beginning
    Mono ends, at_latest;
    Mono rested;     // the next call may follow the last one; zero: there was none
    int64_t rest_ns; // after a call
} Group;

struct Gather {
    Group *groups;
    uint32_t capacity, used, free;
    Table by_key;
    Heap by_end;
    uint64_t begun, looks;
};

Gather *gather_new(void) {
    Gather *gather = NEW(Gather);

    gather->free = NONE;
    return gather;
}

// --- the order of ends

static bool is_before(const void *owner, uint32_t a, uint32_t b) {
    const Gather *gather = owner;
    const Group *x = &gather->groups[a], *y = &gather->groups[b];

    return x->ends.ns != y->ends.ns ? x->ends.ns < y->ends.ns : x->order < y->order;
}

static uint32_t *place_of(void *owner, uint32_t number) {
    Gather *gather = owner;

    gather->looks++;
    return &gather->groups[number].place;
}

static const HeapOrder by_end = {is_before, place_of};

// --- groups

static uint32_t new_group(Gather *gather, uint64_t key) {
    uint32_t number = gather->free;

    if (number != NONE) {
        gather->free = gather->groups[number].next;
    } else {
        GROW(gather->groups, gather->capacity, gather->used + 1);
        number = gather->used++;
    }
    gather->groups[number] = (Group){.key = key, .place = HEAP_NONE, .order = gather->begun++};
    table_put(&gather->by_key, key, number);
    return number;
}

// The group is no longer found, and its number is free.
static void forget(Gather *gather, uint32_t number) {
    Group *group = &gather->groups[number];

    if (group->place != HEAP_NONE)
        heap_remove(&gather->by_end, &by_end, gather, number);
    table_remove(&gather->by_key, group->key);
    group->next = gather->free;
    gather->free = number;
}

static void order_by_end(Gather *gather, uint32_t number) {
    if (gather->groups[number].place == HEAP_NONE)
        heap_add(&gather->by_end, &by_end, gather, number);
    else
        heap_update(&gather->by_end, &by_end, gather, number);
}

// The call for the group's jobs, after which it rests until then, if that is not over.
static EngineJob *close_group(Gather *gather, uint32_t number, Mono now, Mono rested) {
    Group *group = &gather->groups[number];
    EngineJob *job = job_gather(group->first, group->count);

    group->first = group->last = NULL;
    group->count = 0;
    group->rested = group->ends = rested;
    if (mono_reached(now, rested))
        forget(gather, number);
    else
        order_by_end(gather, number);
    return job;
}

void gather_free(Gather *gather) {
    if (!gather)
        return;
    while (gather->by_end.count) {
        uint32_t number = gather->by_end.items[0];

        if (gather->groups[number].count)
            engine_job_drop(close_group(gather, number, MONO_END, MONO_END));
        else
            forget(gather, number);
    }
    free(gather->groups);
    table_free(&gather->by_key);
    heap_free(&gather->by_end);
    free(gather);
}

static void append(Group *group, EngineJob *job) {
    job->mail.next = NULL;
    if (group->last)
        group->last->mail.next = &job->mail;
    else
        group->first = job;
    group->last = job;
    group->count++;
}

// The window begins anew with each job, but for its latest end. After a call it lasts until the next one may follow.
static void wait_on(Gather *gather, uint32_t number, const CloudWindow *window, Mono now) {
    Group *group = &gather->groups[number];

    if (group->count == 1)
        group->at_latest = mono_after(now, window->longest_ns);
    group->ends = mono_first(mono_last(mono_after(now, window->idle_ns), group->rested), group->at_latest);
    group->rest_ns = window->apart_ns;
    order_by_end(gather, number);
}

// --- jobs

const CloudWindow *gather_window(const CloudWindows *windows, const EngineJob *job) {
    if (!windows || job->count != 1)
        return NULL;
    switch (job->intents->type) {
    case INTENT_LAUNCH:
        return job->steps->launch.claim ? &windows->launch : NULL; // without its claim nothing will be called
    case INTENT_TERMINATE:
        return &windows->terminate;
    case INTENT_GET_INSTANCE:
        return &windows->get;
    case INTENT_LIST_INSTANCES:
        return &windows->list;
    default:
        return NULL;
    }
}

static uint64_t key_of(const EngineJob *job) {
    IntentType type = job->intents->type;

    return hash_combine(type, type == INTENT_LAUNCH ? launch_hash(&job->steps->launch) : 0);
}

static bool is_complete(const Group *group, const CloudWindow *window) {
    return group->count >= window->most ||
           (group->first->intents->type == INTENT_LAUNCH && group->count >= GATHERED_LAUNCHES_MAX);
}

EngineJob *gather_add(Gather *gather, const CloudWindow *window, EngineJob *job) {
    uint64_t key = key_of(job);
    uint32_t number = table_get(&gather->by_key, key);

    gather->looks++;
    if (number == INDEX_NONE)
        number = new_group(gather, key);
    append(&gather->groups[number], job);
    if (is_complete(&gather->groups[number], window))
        return close_group(gather, number, job->since, gather->groups[number].rested);
    wait_on(gather, number, window, job->since);
    return NULL;
}

EngineJob *gather_take(Gather *gather, Mono now) {
    while (mono_reached(now, gather_next(gather))) {
        uint32_t number = gather->by_end.items[0];
        const Group *group = &gather->groups[number];

        if (group->count)
            return close_group(gather, number, now, mono_after(now, group->rest_ns));
        forget(gather, number);
    }
    return NULL;
}

Mono gather_next(const Gather *gather) {
    return gather->by_end.count ? gather->groups[gather->by_end.items[0]].ends : MONO_END;
}

uint64_t gather_looks(const Gather *gather) {
    return gather->looks;
}

size_t gather_bytes(const Gather *gather) {
    return gather->capacity * sizeof *gather->groups + table_bytes(&gather->by_key) +
           gather->by_end.capacity * sizeof *gather->by_end.items;
}
