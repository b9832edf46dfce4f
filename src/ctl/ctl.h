// A controller: looks at the State, writes down intents. Pure: no I/O, no clock, no global (law 1). Each is one file of
// this folder, named after Karpenter's controller, with one row in ctl/controllers.h.
//
// The engine calls `observe` for every change of the State, `reconcile` when a key's time has come, `complete` when the
// intents of a key were carried out. A controller is level-triggered: it does not rely on having seen a change, only on
// being called some time after it. Everything it must not lose is in the API server; its own memory may be lost at any
// moment (law 5) and then costs time, never a wrong step.
#pragma once

#include "base/random.h"
#include "base/time.h"
#include "ctl/intent.h"
#include "ctl/settings.h"

typedef struct Queue Queue; // engine/queue.h: when to call for which key

// One call of a controller.
typedef struct {
    Arena *arena;     // until the call returns
    State *state;     // read it; only state_mark_deleting and state_nominate may be called on it from here
    Symbols *symbols; // state_symbols(state)
    Cloud cloud;      // only what does not block: cloud_instance_types
    Mono now;         // how long things take is measured by this
    int64_t wall_ns;  // by the API server's clock: stands in objects, and is compared with what stands there
    const Settings *settings;
    Random *random;     // for jitter; seeded
    IntentVec *intents; // in `arena`
    void *engine;       // the TurnHost (ctl/turn_host.h) behind turn_* below
} Turn;

enum { CONTROLLER_NOTES_MAX = 2 };

typedef struct Controller {
    const char *name; // Karpenter's ("nodeclaim.lifecycle")
    // Process memory, what the functions get as `self`: a struct, zeroed; 0: none, `self` is NULL.
    size_t memory_size;
    // The tables of notes (ctl/common/notes.h) in it: where they lie, and what is in them; made and freed with it.
    struct {
        size_t place, note_size; // note_size 0: none
    } notes[CONTROLLER_NOTES_MAX];
    void (*init)(void *self, const Settings *settings); // where zeroes will not do; may be NULL
    void (*release)(void *self);                        // what it holds beside its notes; may be NULL
    // Every change of the State; once everything is listed, every object that is there as one that came. May only write
    // intents aside (as may start). May be NULL.
    void (*observe)(void *self, Turn *turn, const StateChange *change);
    void (*start)(void *self, Turn *turn); // once everything is listed and was observed; may be NULL
    // A call without batch and without turn_retry forgets the key's backoff. State changes that are told in the same
    // moment are observed before.
    void (*reconcile)(void *self, Turn *turn, Key key);
    // The batch of `key`, in order; after a failure fewer completions than intents. An aside intent comes alone. NULL:
    // the engine logs failures and calls again with backoff; conflicts are not logged, not-found is forgotten. What it
    // intends here is the key's next batch.
    void (*complete)(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count);
    // Backoff of a key that failed: first and longest delay.
    int64_t backoff_first_ns, backoff_max_ns; // 0: 5 ms and 1000 s
} Controller;

// --- asking to be called

// `reconcile` for the key soon (once, however often it is asked for); `after_ns` from now at the latest (0: soon). An
// earlier time that was asked for stands.
void turn_enqueue(Turn *turn, const Controller *controller, Key key, int64_t after_ns);
// Of the controller that is being called. turn_retry: with backoff; turn_succeed forgets the backoff.
void turn_again(Turn *turn, Key key, int64_t after_ns);
void turn_retry(Turn *turn, Key key);
void turn_succeed(Turn *turn, Key key);

// --- writing intents

// They take over nothing: everything is borrowed until the call of the controller returns, and may be in turn->arena.

Intent *turn_intend(Turn *turn, IntentType type); // to be filled in; valid until the next one

void turn_create(Turn *turn, KubeKind kind, const Value *object);
// A merge patch of an object, with its resourceVersion as precondition when `revision` is not 0.
void turn_patch(Turn *turn, KubeKind kind, Symbol ns, Symbol name, KubePart part, const Value *body,
                KubeRevision revision);
// With the uid as precondition.
void turn_remove(Turn *turn, KubeKind kind, const ObjectMeta *meta);
// What the API server has of a kind, by the selectors of KubeListRequest: it is in the State when that is answered.
void turn_read(Turn *turn, KubeKind kind, Slice labels, Slice fields);
__attribute__((format(printf, 6, 7))) void turn_event(Turn *turn, KubeKind kind, const ObjectMeta *meta, bool warning,
                                                      const char *reason, const char *format, ...);
// Pairs of const char * key and Slice value, ended by NULL.
__attribute__((sentinel)) void turn_log(Turn *turn, LogLevel level, const char *message, ...);
