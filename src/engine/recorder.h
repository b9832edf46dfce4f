// The event recorder: what controllers say about objects, as core/v1 Events. Reference lifecycle.md 7.2.
//
// An event passes three gates: room among those that wait to be written, said before within its time, its reason's
// token bucket; else it is dropped and counted. What passes is written by one job at a time: created, or, when the same
// was written before, patched with a higher count. Memory is bounded whatever the controllers say: fixed tables of
// hashes, in which a new entry takes the place of the one that matters least, so under a flood something may be said
// twice; and RECORDER_WAITING_MAX events.
#pragma once

#include "base/time.h"
#include "ctl/intent.h"

enum { RECORDER_WAITING_MAX = 1000, RECORDER_BATCH = 25 };

typedef struct Recorder Recorder;

// omit: everything is taken, nothing written (Settings.omit_events).
Recorder *recorder_new(bool omit);
void recorder_free(Recorder *recorder);

// O(length).
void recorder_take(Recorder *recorder, const EventIntent *event, Moment at);

// What is to be written next, oldest first: CREATE and PATCH of Events, in `arena`. False: nothing waits, or the last
// ones are still under way. Ends with recorder_take_result.
bool recorder_next(Recorder *recorder, Arena *arena, IntentVec *ret_intents);
// What came of them, in the order of recorder_next. An event that was to be patched and has expired is created anew.
void recorder_take_result(Recorder *recorder, const Completion *completions, uint32_t count);

typedef struct {
    uint64_t said;
    uint64_t repeated, limited; // dropped as said before; by a token bucket
    uint64_t written, dropped;  // dropped: no room, or the API server refused
    uint32_t waiting;
} RecorderCounts;
RecorderCounts recorder_counts(const Recorder *recorder);
