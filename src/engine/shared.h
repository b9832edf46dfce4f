// What the engine shares with its jobs and watches, and what must outlive it while one of them is still out: the State
// (whose symbols they read), the mailbox (closed by then), and the tables that they call.
//
// Counted: the engine holds one reference, each job another. The last one frees it, on whatever thread.
#pragma once

#include "engine/engine.h"
#include "engine/mailbox.h"

typedef struct {
    atomic_uint references;
    atomic_uint jobs; // that are out
    Mailbox mailbox;
    State *state; // the engine's own; others only touch its symbols
    Symbols *symbols;
    Kube kube;
    Cloud cloud;
    Clock clock;
    Relay relay;
    Settings settings;
    void (*wake)(void *context);
    void *wake_context;
} EngineShared;

// The types of mail.
enum { MAIL_WATCH_EVENT, MAIL_JOB };

// The field manager of everything that tenon writes.
#define ENGINE_MANAGER SLICE("tenon")

// With one reference. Takes over config->state, or makes one.
EngineShared *engine_shared_new(const EngineConfig *config);
EngineShared *engine_shared_hold(EngineShared *shared);
void engine_shared_release(EngineShared *shared);
// What time it is for the API server; until it has told, by the own clock. Any thread.
int64_t engine_shared_wall_ns(const EngineShared *shared);
// Posts and wakes. False: nobody is there any more.
bool engine_shared_post(EngineShared *shared, Mail *mail, MailPatience patience);
