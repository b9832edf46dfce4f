// Two heaps and two lists through one array of entries.
#include "sim/scheduler/line.h"

#include <stdlib.h>

static const int64_t SECOND_NS = INT64_C(1000000000);
enum { BACKOFF_FIRST_S = 1, BACKOFF_MAX_S = 10, WAIT_MAX_S = 300 };

void line_init(Line *line) {
    *line = (Line){.first_waiting = USHER_NONE, .last_waiting = USHER_NONE};
}

void line_free(Line *line) {
    free(line->entries);
    free(line->active.items);
    free(line->backoff.items);
    free(line->errors.items);
    free(line->classes);
    free(line->waiting_classes.items);
}

// --- heaps

static bool comes_before(const Line *line, const UsherList *heap, uint32_t a, uint32_t b) {
    const LineEntry *x = &line->entries[a], *y = &line->entries[b];

    if (heap != &line->active) {
        if (x->backoff_ns != y->backoff_ns)
            return x->backoff_ns < y->backoff_ns;
    } else {
        if (x->priority != y->priority)
            return x->priority > y->priority;
        if (x->since_ns != y->since_ns)
            return x->since_ns < y->since_ns;
    }
    return x->turn < y->turn;
}

static void heap_put(Line *line, UsherList *heap, uint32_t at, uint32_t slot) {
    heap->items[at] = slot;
    line->entries[slot].heap_at = at;
}

static void heap_rise(Line *line, UsherList *heap, uint32_t at, uint32_t slot) {
    while (at > 0 && comes_before(line, heap, slot, heap->items[(at - 1) / 2])) {
        heap_put(line, heap, at, heap->items[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_put(line, heap, at, slot);
}

static void heap_sink(Line *line, UsherList *heap, uint32_t at, uint32_t slot) {
    for (;;) {
        uint32_t child = at * 2 + 1;

        if (child + 1 < heap->count && comes_before(line, heap, heap->items[child + 1], heap->items[child]))
            child++;
        if (child >= heap->count || !comes_before(line, heap, heap->items[child], slot))
            break;
        heap_put(line, heap, at, heap->items[child]);
        at = child;
    }
    heap_put(line, heap, at, slot);
}

static void heap_add(Line *line, UsherList *heap, uint32_t slot) {
    usher_list_add(heap, slot);
    heap_rise(line, heap, heap->count - 1, slot);
}

static void heap_remove(Line *line, UsherList *heap, uint32_t slot) {
    uint32_t at = line->entries[slot].heap_at, last = heap->items[--heap->count];

    if (last == slot)
        return;
    heap_sink(line, heap, at, last);
    heap_rise(line, heap, line->entries[last].heap_at, last);
}

// --- waiting

static void wait_link(Line *line, uint32_t slot) {
    LineEntry *entry = &line->entries[slot];
    struct LineClass *class;

    entry->next_waiting = USHER_NONE;
    entry->previous_waiting = line->last_waiting;
    if (line->last_waiting != USHER_NONE)
        line->entries[line->last_waiting].next_waiting = slot;
    else
        line->first_waiting = slot;
    line->last_waiting = slot;
    usher_reserve(line->classes, entry->class_index + 1, &line->class_capacity);
    class = &line->classes[entry->class_index];
    if (!class->listed) {
        *class = (struct LineClass){
            .first = USHER_NONE, .last = USHER_NONE, .listed = true, .listed_at = line->waiting_classes.count};
        usher_list_add(&line->waiting_classes, entry->class_index);
    }
    entry->next_of_class = USHER_NONE;
    entry->previous_of_class = class->last;
    if (class->last != USHER_NONE)
        line->entries[class->last].next_of_class = slot;
    else
        class->first = slot;
    class->last = slot;
    class->plugins |= entry->plugins;
}

static void unlist_class(Line *line, struct LineClass *class) {
    uint32_t last = line->waiting_classes.items[--line->waiting_classes.count];

    class->listed = false;
    line->waiting_classes.items[class->listed_at] = last;
    line->classes[last].listed_at = class->listed_at;
}

static void wait_unlink(Line *line, uint32_t slot) {
    LineEntry *entry = &line->entries[slot];
    struct LineClass *class = &line->classes[entry->class_index];

    if (entry->previous_waiting != USHER_NONE)
        line->entries[entry->previous_waiting].next_waiting = entry->next_waiting;
    else
        line->first_waiting = entry->next_waiting;
    if (entry->next_waiting != USHER_NONE)
        line->entries[entry->next_waiting].previous_waiting = entry->previous_waiting;
    else
        line->last_waiting = entry->previous_waiting;
    if (entry->previous_of_class != USHER_NONE)
        line->entries[entry->previous_of_class].next_of_class = entry->next_of_class;
    else
        class->first = entry->next_of_class;
    if (entry->next_of_class != USHER_NONE)
        line->entries[entry->next_of_class].previous_of_class = entry->previous_of_class;
    else
        class->last = entry->previous_of_class;
    if (class->first == USHER_NONE)
        unlist_class(line, class);
}

// --- moving

static UsherList *heap_of(Line *line, LinePlace place) {
    switch (place) {
    case LINE_ACTIVE:
        return &line->active;
    case LINE_BACKOFF:
        return &line->backoff;
    case LINE_ERROR:
        return &line->errors;
    case LINE_NONE:
    case LINE_WAITING:
        break;
    }
    return NULL;
}

static void place(Line *line, uint32_t slot, LinePlace to) {
    LineEntry *entry = &line->entries[slot];
    UsherList *from_heap = heap_of(line, entry->place), *to_heap = heap_of(line, to);

    if (from_heap)
        heap_remove(line, from_heap, slot);
    else if (entry->place == LINE_WAITING)
        wait_unlink(line, slot);
    line->count[entry->place]--;
    entry->place = to;
    line->count[to]++;
    if (to_heap)
        heap_add(line, to_heap, slot);
    else if (to == LINE_WAITING)
        wait_link(line, slot);
}

void line_add(Line *line, uint32_t slot, uint32_t class_index, int32_t priority, int64_t now_ns) {
    uint32_t before = line->entry_capacity;

    usher_reserve(line->entries, slot + 1, &line->entry_capacity);
    line->count[LINE_NONE] += line->entry_capacity - before;
    line_remove(line, slot);
    line->entries[slot] =
        (LineEntry){.class_index = class_index, .priority = priority, .turn = line->turns++, .since_ns = now_ns};
    place(line, slot, LINE_ACTIVE);
}

void line_remove(Line *line, uint32_t slot) {
    if (line_has(line, slot))
        place(line, slot, LINE_NONE);
}

bool line_has(const Line *line, uint32_t slot) {
    return slot < line->entry_capacity && line->entries[slot].place != LINE_NONE;
}

uint32_t line_take(Line *line) {
    uint32_t slot = line->active.count ? line->active.items[0] : USHER_NONE;

    if (slot == USHER_NONE && line->backoff.count)
        slot = line->backoff.items[0];
    if (slot != USHER_NONE)
        place(line, slot, LINE_NONE);
    return slot;
}

static void count_failure(LineEntry *entry, int64_t now_ns) {
    int64_t delay_s = entry->failures >= 4 ? BACKOFF_MAX_S : (int64_t)BACKOFF_FIRST_S << entry->failures;

    entry->failures++;
    entry->since_ns = now_ns;
    entry->backoff_ns = now_ns + delay_s * SECOND_NS;
}

void line_wait(Line *line, uint32_t slot, uint32_t plugins, int64_t now_ns) {
    LineEntry *entry = &line->entries[slot];

    count_failure(entry, now_ns);
    entry->plugins = plugins;
    place(line, slot, LINE_WAITING);
}

void line_retry(Line *line, uint32_t slot, int64_t now_ns) {
    count_failure(&line->entries[slot], now_ns);
    place(line, slot, LINE_ERROR);
}

void line_wake_class(Line *line, uint32_t class_index, uint32_t plugins, int64_t now_ns) {
    struct LineClass *class = &line->classes[class_index];
    uint32_t slot = class->listed && (class->plugins & plugins) ? class->first : USHER_NONE;
    uint32_t left = 0;

    if (slot == USHER_NONE)
        return;
    while (slot != USHER_NONE) {
        LineEntry *entry = &line->entries[slot];
        uint32_t next = entry->next_of_class;

        if (entry->plugins & plugins)
            place(line, slot, entry->backoff_ns > now_ns ? LINE_BACKOFF : LINE_ACTIVE);
        else
            left |= entry->plugins;
        slot = next;
    }
    class->plugins = left;
}

bool line_flush(Line *line, int64_t now_ns) {
    bool any = false;

    for (LinePlace from = LINE_BACKOFF; from <= LINE_ERROR; from++) {
        UsherList *heap = heap_of(line, from);

        while (heap->count && line->entries[heap->items[0]].backoff_ns <= now_ns) {
            place(line, heap->items[0], LINE_ACTIVE);
            any = true;
        }
    }
    while (line->first_waiting != USHER_NONE &&
           line->entries[line->first_waiting].since_ns + WAIT_MAX_S * SECOND_NS <= now_ns) {
        place(line, line->first_waiting, LINE_ACTIVE);
        any = true;
    }
    return any;
}

int64_t line_next_ns(const Line *line) {
    int64_t next = INT64_MAX;

    if (line->backoff.count)
        next = line->entries[line->backoff.items[0]].backoff_ns;
    if (line->errors.count && line->entries[line->errors.items[0]].backoff_ns < next)
        next = line->entries[line->errors.items[0]].backoff_ns;
    if (line->first_waiting != USHER_NONE) {
        int64_t flush = line->entries[line->first_waiting].since_ns + WAIT_MAX_S * SECOND_NS;

        next = flush < next ? flush : next;
    }
    return next;
}
