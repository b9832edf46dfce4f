// Controller and Turn: a controller reads the State and writes intents. It is pure: no I/O, no clock, no globals (law
// 1). Each controller is one file of this folder, named after Karpenter's controller, with one row in
// ctl/controllers.h.
//
// The engine calls `observe` for every change of the State, `reconcile` for a key that is due in the controller's work
// queue, and `complete` when the intents of a key were carried out. Controllers are level-triggered: none relies on
// having seen a change, only on being called some time after it. Whatever must not be lost is in the API server; the
// memory of a controller may be lost at any moment (law 5), which costs time and never leads to a wrong step.
#pragma once

#include "base/random.h"
#include "base/time.h"
#include "ctl/intent.h"
#include "ctl/settings.h"

typedef struct Queue Queue; // engine/queue.h: the work queue

// Turn: one call of a controller.
typedef struct {
    Arena *arena;     // freed when the call returns
    State *state;     // read-only, but for what only this process knows (state_nominate, ...)
    Symbols *symbols; // state_symbols(state)
    Cloud cloud;      // only calls that do not block: cloud_instance_types, cloud_repair_policies
    Mono now;         // monotonic time, for durations
    int64_t wall_ns;  // wall time by the API server's clock, for timestamps in objects
    const Settings *settings;
    Random *random;     // for jitter; seeded
    IntentVec *intents; // in `arena`
    void *engine;       // the TurnHost (ctl/turn_host.h) behind the turn_* functions below
} Turn;

enum { CONTROLLER_NOTES_MAX = 2 };

typedef struct Controller {
    const char *name; // Karpenter's ("nodeclaim.lifecycle")
    // What the `ns` of its keys is, where keys are told: in the journal and the log. NULL: a namespace.
    const char *ns_label;
    // Size of the controller's memory, which the functions get as `self`: a struct, zeroed. 0: no memory, `self` is
    // NULL.
    size_t memory_size;
    // The NoteTables (ctl/common/notes.h) in that struct: offset, and size of a note. They are made and freed with it.
    struct {
        size_t place, note_size; // note_size 0: none
    } notes[CONTROLLER_NOTES_MAX];
    void (*init)(void *self, const Settings *settings); // sets what must not be zero; may be NULL
    void (*release)(void *self);                        // frees what `self` holds besides its notes; may be NULL
    // Called for every change of the State; after the initial lists once for every object, as if it had just been
    // created. May only write intents aside, as `start` may. May be NULL.
    void (*observe)(void *self, Turn *turn, const StateChange *change);
    void (*start)(void *self, Turn *turn); // called once, after the initial lists were observed; may be NULL
    // Called for a key that is due. Without a batch of intents and without turn_retry the call resets the key's
    // back-off. Changes of the State at the same instant are observed before.
    void (*reconcile)(void *self, Turn *turn, Key key);
    // Called with the completions of `key`'s batch, in order; after a failure there are fewer of them than intents. An
    // intent aside comes alone. Intents that are written here are the key's next batch. NULL: the engine logs failures
    // and retries with back-off; conflicts are retried without a log line, not-found is dropped.
    void (*complete)(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count);
    // Back-off of a key that fails: first and longest delay.
    int64_t backoff_first_ns, backoff_max_ns; // 0: 5 ms and 1000 s
} Controller;

// --- work queue

// Enqueues the key: `reconcile` is called once, however often it is enqueued, at the latest `after_ns` from now (0: as
// soon as possible). An earlier time that was asked for stands.
void turn_enqueue(Turn *turn, const Controller *controller, Key key, int64_t after_ns);
// The same for the controller that is being called. turn_retry enqueues with back-off; turn_succeed resets the
// back-off.
void turn_again(Turn *turn, Key key, int64_t after_ns);
void turn_retry(Turn *turn, Key key);
void turn_succeed(Turn *turn, Key key);

// --- writing intents

// Arguments are borrowed until the call of the controller returns, and may be in turn->arena.

Intent *turn_intend(Turn *turn, IntentType type); // the caller fills it in; valid until the next one

void turn_create(Turn *turn, KubeKind kind, const Value *object);
// A merge patch of an object, with its resourceVersion as precondition unless `revision` is 0.
void turn_patch(Turn *turn, KubeKind kind, Symbol ns, Symbol name, KubePart part, const Value *body,
                KubeRevision revision);
// Deletes an object, with its uid as precondition.
void turn_remove(Turn *turn, KubeKind kind, const ObjectMeta *meta);
// Reads objects of a kind from the API server, by the selectors of KubeListRequest: they are in the State when the
// intent completes.
void turn_read(Turn *turn, KubeKind kind, Slice labels, Slice fields);
__attribute__((format(printf, 6, 7))) void turn_event(Turn *turn, KubeKind kind, const ObjectMeta *meta, bool warning,
                                                      const char *reason, const char *format, ...);
// Pairs of const char * key and Slice value, ended by NULL.
__attribute__((sentinel)) void turn_log(Turn *turn, LogLevel level, const char *message, ...);
