// Batcher: the batching window, which collects triggers so that one plan serves many pods. Behaviour: reference
// scheduling.md 4.2.
//
// A window opens with its first trigger and closes when no new uid came for the idle duration (--batch-idle-duration,
// default 1 s), at the latest when it is as old as the maximum duration (--batch-max-duration, default 10 s). The
// Batcher has no clock: the caller passes the time, which never goes backwards. No trigger is lost (Q6 fixed): triggers
// during a plan open the next window, and a window that could not be planned is opened again by batcher_retry.
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
    BATCH_WAITING, // a window is open: poll again at the given time
    BATCH_READY,   // the window has just closed: plan now
} BatchState;

// Durations in nanoseconds, not negative. An idle duration of 0 plans at the first poll after a trigger.
void batcher_init(Batcher *batcher, int64_t idle_ns, int64_t max_ns);
void batcher_free(Batcher *batcher);

// Triggers the window by the uid of a pod that waits for a node, or of a node whose pods will have to: opens a window,
// or extends the open one when the uid is new in it. O(1) expected.
void batcher_trigger(Batcher *batcher, Symbol uid, Mono now);

// Closes the window when it is due: BATCH_READY is returned once per window, and its uids are forgotten. ret_look_again
// (set with BATCH_WAITING only): when the window closes if no new uid comes.
BatchState batcher_poll(Batcher *batcher, Mono now, Mono *ret_look_again);

// Opens a window for work that is left because the last one could not be planned (state not synced, scheduling failed):
// it closes after the idle duration. A window that is open already does that work.
void batcher_retry(Batcher *batcher, Mono now);
