// The event recorder: EventIntents of controllers as core/v1 Events. Behaviour: reference lifecycle.md 7.2.
//
// An event passes three filters: room in the queue of events to write, deduplication by its dedupe time, and the token
// bucket of its reason; otherwise it is dropped and counted. Events that pass are written by one job at a time:
// created, or, when an equal one was written before, patched with a higher count. Memory is bounded whatever the
// controllers publish: RECORDER_WAITING_MAX events, and fixed-size hash tables in which a new entry replaces the least
// useful one, so that in a flood an event may be published twice.
#pragma once

#include "base/time.h"
#include "ctl/intent.h"

enum { RECORDER_WAITING_MAX = 1000, RECORDER_BATCH = 25 };

typedef struct Recorder Recorder;

// omit: events are accepted and never written (Settings.omit_events).
Recorder *recorder_new(bool omit);
void recorder_free(Recorder *recorder);

// Accepts an event, or drops it. O(length).
void recorder_take(Recorder *recorder, const EventIntent *event, Moment at);

// The next events to write, oldest first: CREATE and PATCH of Events, in `arena`. False: none wait, or the last ones
// are still under way. Ends with recorder_take_result.
bool recorder_next(Recorder *recorder, Arena *arena, IntentVec *ret_intents);
// Handles their completions, in the order of recorder_next. An event that was to be patched and has expired is created
// again.
void recorder_take_result(Recorder *recorder, const Completion *completions, uint32_t count);

typedef struct {
    uint64_t said;
    uint64_t repeated, limited; // dropped: as a duplicate; by a token bucket
    uint64_t written, dropped;  // dropped: the queue was full, or the API server refused
    uint32_t waiting;
} RecorderCounts;
RecorderCounts recorder_counts(const Recorder *recorder);
