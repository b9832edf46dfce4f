// Which controller is to be called for which key, and when: a work queue, its timers and its backoff in one.
//
// A key is in it once however often it is asked for, at the earliest time that was asked for. It is held while work for
// it is under way, and is not given out then. Order: by time, then by order of asking; never by hash or symbol.
// Entries that say nothing any more (not asked for, not held, no failures) are forgotten, so memory is bounded by the
// keys that something is known of.
#pragma once

#include "ctl/intent.h"

typedef struct Queue Queue;

// The symbols of its keys are held in `table`, so that a key stays what it is when its object is gone. NULL: nobody
// lets go of them anyway.
Queue *queue_new(SymbolTable *table);
void queue_free(Queue *queue);

// `controller` is a number that the caller gives a meaning. All O(log n), n = keys that wait.

// Asks for a call at that time, or keeps the earlier one.
void queue_ask(Queue *queue, uint32_t controller, Key key, int64_t at_ns);
// The next key that is due and not held: takes it out. False: none. `before`: only what was asked for before that
// moment of queue_moment, so that who asks while it is being served waits for the next round.
bool queue_take(Queue *queue, int64_t now_ns, uint64_t before, uint32_t *ret_controller, Key *ret_key);
uint64_t queue_moment(const Queue *queue);

// Work for the key begins and ends; may be nested.
void queue_hold(Queue *queue, uint32_t controller, Key key);
void queue_release(Queue *queue, uint32_t controller, Key key);
bool queue_is_held(const Queue *queue, uint32_t controller, Key key);

// One more failure: the delay before the next try, first_ns × 2^failures and at most max_ns. queue_succeed forgets
// them.
int64_t queue_fail(Queue *queue, uint32_t controller, Key key, int64_t first_ns, int64_t max_ns);
void queue_succeed(Queue *queue, uint32_t controller, Key key);

// When the next key is due that is not held; INT64_MAX: none. O(1) amortised.
int64_t queue_next_ns(Queue *queue);
// Keys that something is asked for, and keys that are known at all.
uint32_t queue_waiting(const Queue *queue);
uint32_t queue_known(const Queue *queue);
