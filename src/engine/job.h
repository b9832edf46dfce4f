// EngineJob: one batch of intents on its way through a worker, and its completions.
//
// Everything that a job needs is copied into its own arena, so that it depends on the EngineShared alone. One thread
// owns it at a time: the engine's, then the one that runs it, then (through the mailbox) the engine's again.
//
// A job may stand for others, whose calls of the cloud were gathered (engine/gather): it makes one call for all. It
// owns them while it runs, and is gone when they are posted, each as its own mail with its own completion.
#pragma once

#include "engine/shared.h"

// Owner of the event recorder's jobs; controllers are numbered from 0.
enum { JOB_OF_RECORDER = UINT32_MAX };

// Input and output of one intent.
typedef struct {
    CloudLaunch launch;         // of LAUNCH, CHECK_DRIFT, TAG, LEARN: the claim as it was when they were intended
    Vec(StateUpdate *) updates; // of CREATE, PATCH, READ: the returned objects, decoded; the engine takes them over
    Err *unreadable;            // a returned object could not be decoded
} JobStep;

struct EngineJob {
    Mail mail; // first: a job is its own mail
    EngineShared *shared;
    Arena arena;
    JobType type;
    uint32_t controller;
    Key key;
    bool aside;
    bool goes_on;          // a failure does not end the batch (of the recorder)
    uint64_t number, call; // call: id of the reconcile that intended it
    Intent *intents;
    JobStep *steps;
    Completion *completions;
    uint32_t count, done;
    bool ended;          // by a failure, or because the engine was freed
    EngineJob *gathered; // the first of those that it stands for, whose intents it has; NULL: itself
    Mono since;          // when the next step could begin
    Snapshot *snapshot;  // of a solve or a look for what may be disrupted; NULL: it is neither
    uint32_t pods;       // of the same: pending ones
    int64_t decided_ns;  // of the same: wall time of the request
    uint64_t types;      // of the same: a ticket for the instance types that it reads, until its results were taken
};

// Makes a job of the first `count` intents of a turn, by copying them. Reads from `state` the claims to launch and the
// snapshot of a solve; to be called by the State's owner. O(size of the intents).
EngineJob *job_new(EngineShared *shared, State *state, const Intent *intents, uint32_t count);
// Makes the job that makes one call for `count` jobs of one intent each, and takes them over: the first and those that
// follow by mail.next, in the order in which they came. O(count).
EngineJob *job_gather(EngineJob *first, uint32_t count);
static inline EngineJob *job_next_gathered(const EngineJob *job) {
    return (EngineJob *)(void *)job->mail.next;
}
// Frees the job alone, not those that it stands for.
void job_free(EngineJob *job);
