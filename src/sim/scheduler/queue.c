// Three heaps and two linked lists over one array of entries.
#include "sim/scheduler/queue.h"

#include "base/alloc.h"
#include "sim/scheduler/cache/index.h"

#include <stdlib.h>

enum { BACKOFF_FIRST_S = 1, BACKOFF_MAX_S = 10, WAIT_MAX_S = 300 };

void scheduling_queue_init(SchedulingQueue *queue) {
    *queue = (SchedulingQueue){.first_waiting = CACHE_NONE, .last_waiting = CACHE_NONE};
}

void scheduling_queue_free(SchedulingQueue *queue) {
    free(queue->entries);
    heap_free(&queue->active);
    heap_free(&queue->backoff);
    heap_free(&queue->errors);
    free(queue->classes);
    free(queue->waiting_classes.items);
}

// --- heaps

static bool comes_before(const void *owner, uint32_t a, uint32_t b) {
    const SchedulingQueue *queue = owner;
    const SchedulingQueueEntry *x = &queue->entries[a], *y = &queue->entries[b];

    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (x->since_ns != y->since_ns)
        return x->since_ns < y->since_ns;
    return x->turn < y->turn;
}

static bool ends_backoff_before(const void *owner, uint32_t a, uint32_t b) {
    const SchedulingQueue *queue = owner;
    const SchedulingQueueEntry *x = &queue->entries[a], *y = &queue->entries[b];

    return x->backoff_ns != y->backoff_ns ? x->backoff_ns < y->backoff_ns : x->turn < y->turn;
}

static uint32_t *place_of(void *queue, uint32_t slot) {
    return &((SchedulingQueue *)queue)->entries[slot].heap_at;
}

static const HeapOrder by_priority = {comes_before, place_of}, by_backoff = {ends_backoff_before, place_of};

// --- waiting

static void wait_link(SchedulingQueue *queue, uint32_t slot) {
    SchedulingQueueEntry *entry = &queue->entries[slot];
    struct SchedulingQueueClass *class;

    entry->next_waiting = CACHE_NONE;
    entry->previous_waiting = queue->last_waiting;
    if (queue->last_waiting != CACHE_NONE)
        queue->entries[queue->last_waiting].next_waiting = slot;
    else
        queue->first_waiting = slot;
    queue->last_waiting = slot;
    GROW(queue->classes, queue->class_capacity, entry->class_index + 1);
    class = &queue->classes[entry->class_index];
    if (!class->listed) {
        *class = (struct SchedulingQueueClass){
            .first = CACHE_NONE, .last = CACHE_NONE, .listed = true, .listed_at = queue->waiting_classes.count};
        cache_list_add(&queue->waiting_classes, entry->class_index);
    }
    entry->next_of_class = CACHE_NONE;
    entry->previous_of_class = class->last;
    if (class->last != CACHE_NONE)
        queue->entries[class->last].next_of_class = slot;
    else
        class->first = slot;
    class->last = slot;
    class->plugins |= entry->plugins;
}

static void unlist_class(SchedulingQueue *queue, struct SchedulingQueueClass *class) {
    uint32_t last = queue->waiting_classes.items[--queue->waiting_classes.count];

    class->listed = false;
    queue->waiting_classes.items[class->listed_at] = last;
    queue->classes[last].listed_at = class->listed_at;
}

static void wait_unlink(SchedulingQueue *queue, uint32_t slot) {
    SchedulingQueueEntry *entry = &queue->entries[slot];
    struct SchedulingQueueClass *class = &queue->classes[entry->class_index];

    if (entry->previous_waiting != CACHE_NONE)
        queue->entries[entry->previous_waiting].next_waiting = entry->next_waiting;
    else
        queue->first_waiting = entry->next_waiting;
    if (entry->next_waiting != CACHE_NONE)
        queue->entries[entry->next_waiting].previous_waiting = entry->previous_waiting;
    else
        queue->last_waiting = entry->previous_waiting;
    if (entry->previous_of_class != CACHE_NONE)
        queue->entries[entry->previous_of_class].next_of_class = entry->next_of_class;
    else
        class->first = entry->next_of_class;
    if (entry->next_of_class != CACHE_NONE)
        queue->entries[entry->next_of_class].previous_of_class = entry->previous_of_class;
    else
        class->last = entry->previous_of_class;
    if (class->first == CACHE_NONE)
        unlist_class(queue, class);
}

// --- moving

static Heap *heap_of(SchedulingQueue *queue, SchedulingQueuePlace place) {
    switch (place) {
    case LINE_ACTIVE:
        return &queue->active;
    case LINE_BACKOFF:
        return &queue->backoff;
    case LINE_ERROR:
        return &queue->errors;
    case LINE_NONE:
    case LINE_WAITING:
        break;
    }
    return NULL;
}

static const HeapOrder *order_of(SchedulingQueuePlace place) {
    return place == LINE_ACTIVE ? &by_priority : &by_backoff;
}

static void place(SchedulingQueue *queue, uint32_t slot, SchedulingQueuePlace to) {
    SchedulingQueueEntry *entry = &queue->entries[slot];
    Heap *from_heap = heap_of(queue, entry->place), *to_heap = heap_of(queue, to);

    if (from_heap)
        heap_remove(from_heap, order_of(entry->place), queue, slot);
    else if (entry->place == LINE_WAITING)
        wait_unlink(queue, slot);
    queue->count[entry->place]--;
    entry->place = to;
    queue->count[to]++;
    if (to_heap)
        heap_add(to_heap, order_of(to), queue, slot);
    else if (to == LINE_WAITING)
        wait_link(queue, slot);
}

void scheduling_queue_add(SchedulingQueue *queue, uint32_t slot, uint32_t class_index, int32_t priority,
                          int64_t now_ns) {
    uint32_t before = queue->entry_capacity;

    GROW(queue->entries, queue->entry_capacity, slot + 1);
    queue->count[LINE_NONE] += queue->entry_capacity - before;
    scheduling_queue_remove(queue, slot);
    queue->entries[slot] = (SchedulingQueueEntry){
        .class_index = class_index, .priority = priority, .turn = queue->turns++, .since_ns = now_ns};
    place(queue, slot, LINE_ACTIVE);
}

void scheduling_queue_remove(SchedulingQueue *queue, uint32_t slot) {
    if (scheduling_queue_has(queue, slot))
        place(queue, slot, LINE_NONE);
}

bool scheduling_queue_has(const SchedulingQueue *queue, uint32_t slot) {
    return slot < queue->entry_capacity && queue->entries[slot].place != LINE_NONE;
}

uint32_t scheduling_queue_take(SchedulingQueue *queue) {
    uint32_t slot = queue->active.count ? queue->active.items[0] : CACHE_NONE;

    if (slot == CACHE_NONE && queue->backoff.count)
        slot = queue->backoff.items[0];
    if (slot != CACHE_NONE)
        place(queue, slot, LINE_NONE);
    return slot;
}

static void count_failure(SchedulingQueueEntry *entry, int64_t now_ns) {
    int64_t delay_s = entry->failures >= 4 ? BACKOFF_MAX_S : (int64_t)BACKOFF_FIRST_S << entry->failures;

    entry->failures++;
    entry->since_ns = now_ns;
    entry->backoff_ns = now_ns + delay_s * NS_PER_S;
}

void scheduling_queue_wait(SchedulingQueue *queue, uint32_t slot, uint32_t plugins, int64_t now_ns) {
    SchedulingQueueEntry *entry = &queue->entries[slot];

    count_failure(entry, now_ns);
    entry->plugins = plugins;
    place(queue, slot, LINE_WAITING);
}

void line_retry(SchedulingQueue *queue, uint32_t slot, int64_t now_ns) {
    count_failure(&queue->entries[slot], now_ns);
    place(queue, slot, LINE_ERROR);
}

void scheduling_queue_wake_class(SchedulingQueue *queue, uint32_t class_index, uint32_t plugins, int64_t now_ns) {
    struct SchedulingQueueClass *class = &queue->classes[class_index];
    uint32_t slot = class->listed && (class->plugins & plugins) ? class->first : CACHE_NONE;
    uint32_t left = 0;

    if (slot == CACHE_NONE)
        return;
    while (slot != CACHE_NONE) {
        SchedulingQueueEntry *entry = &queue->entries[slot];
        uint32_t next = entry->next_of_class;

        if (entry->plugins & plugins)
            place(queue, slot, entry->backoff_ns > now_ns ? LINE_BACKOFF : LINE_ACTIVE);
        else
            left |= entry->plugins;
        slot = next;
    }
    class->plugins = left;
}

bool line_flush(SchedulingQueue *queue, int64_t now_ns) {
    bool any = false;

    for (SchedulingQueuePlace from = LINE_BACKOFF; from <= LINE_ERROR; from++) {
        Heap *heap = heap_of(queue, from);

        while (heap->count && queue->entries[heap->items[0]].backoff_ns <= now_ns) {
            place(queue, heap->items[0], LINE_ACTIVE);
            any = true;
        }
    }
    while (queue->first_waiting != CACHE_NONE &&
           queue->entries[queue->first_waiting].since_ns + WAIT_MAX_S * NS_PER_S <= now_ns) {
        place(queue, queue->first_waiting, LINE_ACTIVE);
        any = true;
    }
    return any;
}

int64_t scheduling_queue_next_ns(const SchedulingQueue *queue) {
    int64_t next = INT64_MAX;

    if (queue->backoff.count)
        next = queue->entries[queue->backoff.items[0]].backoff_ns;
    if (queue->errors.count && queue->entries[queue->errors.items[0]].backoff_ns < next)
        next = queue->entries[queue->errors.items[0]].backoff_ns;
    if (queue->first_waiting != CACHE_NONE) {
        int64_t flush = queue->entries[queue->first_waiting].since_ns + WAIT_MAX_S * NS_PER_S;

        next = flush < next ? flush : next;
    }
    return next;
}
