// The ring of recent events of a kind: grows to its limit and then drops the oldest.
#include "sim/api/store/history.h"

#include "base/alloc.h"

enum { FIRST_CAPACITY = 64 };

static HistoryEvent *slot(const History *history, uint64_t number) {
    CHECK(history->capacity, "an event of an empty history");
    return &history->events[number % history->capacity];
}

static void forget_oldest(History *history) {
    HistoryEvent *event = slot(history, history->first);

    history->forgotten = event->revision;
    packed_release(event->object);
    packed_release(event->previous);
    history->first++;
}

static void grow(History *history, uint32_t capacity) {
    HistoryEvent *events = NEW_ARRAY(HistoryEvent, capacity);

    for (uint64_t number = history->first; number < history->end; number++)
        events[number % capacity] = *slot(history, number);
    free(history->events);
    history->events = events;
    history->capacity = capacity;
}

void history_add(History *history, uint32_t events_max, HistoryEvent event) {
    if (history->end - history->first == history->capacity) {
        if (history->capacity < events_max) {
            uint32_t doubled = history->capacity ? history->capacity * 2 : FIRST_CAPACITY;

            grow(history, doubled < events_max ? doubled : events_max);
        } else {
            forget_oldest(history);
        }
    }
    packed_hold(event.object);
    packed_hold(event.previous);
    *slot(history, history->end) = event;
    history->end++;
}

const HistoryEvent *history_get(const History *history, uint64_t number) {
    CHECK(number >= history->first && number < history->end, "event %llu of a history", (unsigned long long)number);
    return slot(history, number);
}

uint64_t history_seek(const History *history, KubeRevision revision) {
    uint64_t low = history->first, high = history->end;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (slot(history, middle)->revision <= revision)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void history_forget(History *history, KubeRevision revision) {
    while (history->first < history->end && slot(history, history->first)->revision <= revision)
        forget_oldest(history);
    if (history->forgotten < revision)
        history->forgotten = revision;
}

void history_free(History *history) {
    while (history->first < history->end)
        forget_oldest(history);
    free(history->events);
    *history = (History){0};
}

size_t history_bytes(const History *history) {
    return history->capacity * sizeof(HistoryEvent);
}
