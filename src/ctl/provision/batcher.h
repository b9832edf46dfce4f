// The batching window: collects triggers for a while, so that one plan serves many pods. Reference scheduling.md 4.2.
//
// A window opens with its first trigger and closes when no new uid came for the idle duration (--batch-idle-duration,
// default 1 s), or at the latest when it is as old as the maximum (--batch-max-duration, default 10 s). It has no
// clock: the caller says what time it is, never earlier than it said before. No trigger is ever lost (Q6 fixed):
// what comes while a plan is made opens the next window, and a window that could not be planned is armed again by
// batcher_retry.
#pragma once

#include "base/symbol.h"
#include "base/time.h"

enum { BATCH_IDLE_DEFAULT_MS = 1000, BATCH_MAX_DEFAULT_MS = 10000 };

typedef struct {
    int64_t idle_ns, max_ns;
    Arena arena;   // of `uids`; freed with each window
    IndexMap uids; // pods and nodes that triggered in this window
    bool open;
    Mono opened;
    Mono idle_end; // when the window closes unless another uid comes
} Batcher;

typedef enum {
    BATCH_NONE,    // no window: wait for a trigger
    BATCH_WAITING, // a window is open: look again at the given time
    BATCH_READY,   // the window has just closed: plan now
} BatchState;

// Durations in nanoseconds, not negative. 0 idle plans at the first look after a trigger.
void batcher_init(Batcher *batcher, int64_t idle_ns, int64_t max_ns);
void batcher_free(Batcher *batcher);

// A pod that waits for a node, or a node whose pods will: opens a window, or extends the open one when the uid is new
// in it. O(1) expected.
void batcher_trigger(Batcher *batcher, Symbol uid, Mono now);

// Closes the window when its time has come: BATCH_READY is said once per window, and its uids are forgotten.
// ret_look_again (set with BATCH_WAITING only): when the window closes if nothing new comes.
BatchState batcher_poll(Batcher *batcher, Mono now, Mono *ret_look_again);

// The window that was ready could not be planned (state not synced, scheduling failed): there is work left. Opens a
// window that closes after the idle duration, unless one is open, which will do the work.
void batcher_retry(Batcher *batcher, Mono now);
