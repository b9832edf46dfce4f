// A job from the inside: one batch of intents on its way through a worker, and what came of it.
//
// Everything that a job needs is in its own arena, copied out of the controller's turn, so that it depends on nothing
// but the EngineShared. Only one thread has it at a time: the engine's, then whoever carries it out, then (through the
// mailbox) the engine's again.
#pragma once

#include "engine/shared.h"

// Whose job it is, beside the numbers of controllers.
enum { JOB_OF_RECORDER = UINT32_MAX };

// One intent and what came of it.
typedef struct {
    CloudLaunch launch;         // of LAUNCH and CHECK_DRIFT: the claim as it was when it was decided
    Vec(StateUpdate *) updates; // of CREATE, PATCH, READ: the objects, decoded; taken over by the engine
    Err *unreadable;            // an object came back and could not be decoded
} JobStep;

struct EngineJob {
    Mail mail; // first: a job is its own mail
    EngineShared *shared;
    Arena arena;
    JobType type;
    uint32_t controller;
    Key key;
    bool aside;
    bool goes_on;          // a failure does not end it (the recorder's)
    uint64_t number, call; // call: the reconcile that intended it
    Intent *intents;
    JobStep *steps;
    Completion *completions;
    uint32_t count, done;
    bool ended;         // by a failure, or because the engine is gone
    Mono since;         // when the next step could begin
    Snapshot *snapshot; // of a solve
    uint32_t pods;
    int64_t decided_ns; // of a solve: when it was asked for, wall time
};

// Copies the intents, which are `count` of a turn. `state` is looked into for the claims of launches and for the
// snapshot of a solve; called by the State's owner. O(size of the intents).
EngineJob *job_new(EngineShared *shared, State *state, const Intent *intents, uint32_t count);
void job_free(EngineJob *job);
