// EngineShared: what the engine shares with its jobs and watches, and what outlives the engine while a job runs: the
// State (whose symbols they read), the mailbox (closed by then), and the tables of functions that they call.
//
// Reference-counted: the engine holds one reference, each job another. The last release frees it, on any thread.
#pragma once

#include "engine/engine.h"
#include "engine/mailbox.h"

typedef struct {
    atomic_uint references;
    atomic_uint jobs; // jobs that are submitted or running
    atomic_bool ends; // the engine ends: what is being solved is for nobody
    Mailbox mailbox;
    State *state; // only the engine uses it; others read its symbols
    Symbols *symbols;
    Kube kube;
    Cloud cloud;
    Clock clock;
    Relay relay;
    Settings settings;
    TypeDigests *digests, *disruption_digests; // the solver's and the disruptor's, from one job to the next
    void (*wake)(void *context);
    void *wake_context;
} EngineShared;

// Types of mail.
enum { MAIL_WATCH_EVENT, MAIL_JOB };

// Field manager of tenon's writes.
#define ENGINE_MANAGER SLICE("tenon")

// Returns one with one reference. Takes over config->state, or makes a State.
EngineShared *engine_shared_new(const EngineConfig *config);
EngineShared *engine_shared_hold(EngineShared *shared);
void engine_shared_release(EngineShared *shared);
// The API server's wall time; this machine's until the API server has sent a Date. Any thread.
int64_t engine_shared_wall_ns(const EngineShared *shared);
// Posts a mail and wakes the engine. False: the engine was freed.
bool engine_shared_post(EngineShared *shared, Mail *mail, MailPatience patience);
