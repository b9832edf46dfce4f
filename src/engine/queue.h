// Queue: the work queue of all controllers, with its timers and back-off. It says which controller is to reconcile
// which key, and when.
//
// A key is in the queue once, however often it is enqueued, at the earliest time that was asked for. While work for it
// is under way the key is held and not handed out. Order: by time, then by order of enqueueing; never by hash or
// symbol. Entries without information (not enqueued, not held, no failures) are removed, so memory is bounded by the
// keys in use.
#pragma once

#include "ctl/intent.h"

typedef struct Queue Queue;

// The symbols of keys are held in `table`, so that a key stays valid when its object is gone. NULL: its symbols are
// never released anyway.
Queue *queue_new(SymbolTable *table);
void queue_free(Queue *queue);

// `controller` is a number whose meaning the caller defines. All O(log n), n = keys that wait.

// Enqueues the key for that time, or keeps the earlier one.
void queue_ask(Queue *queue, uint32_t controller, Key key, int64_t at_ns);
// Takes out the next key that is due and not held. False: none. `before`: only keys that were enqueued before that
// queue_moment, so that a key enqueued while the due ones are served waits for the next round.
bool queue_take(Queue *queue, int64_t now_ns, uint64_t before, uint32_t *ret_controller, Key *ret_key);
uint64_t queue_moment(const Queue *queue);

// Holds and releases a key, when work for it begins and ends; may be nested.
void queue_hold(Queue *queue, uint32_t controller, Key key);
void queue_release(Queue *queue, uint32_t controller, Key key);
bool queue_is_held(const Queue *queue, uint32_t controller, Key key);

// Counts one more failure and returns the delay of the next try: first_ns × 2^failures, at most max_ns. queue_succeed
// resets the count.
int64_t queue_fail(Queue *queue, uint32_t controller, Key key, int64_t first_ns, int64_t max_ns);
void queue_succeed(Queue *queue, uint32_t controller, Key key);

// When the next key that is not held is due; INT64_MAX: none. O(1) amortised.
int64_t queue_next_ns(Queue *queue);
// Number of keys that are enqueued, and of all entries.
uint32_t queue_waiting(const Queue *queue);
uint32_t queue_known(const Queue *queue);
