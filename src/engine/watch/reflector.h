// Reflector: keeps one kind of the State up to date by a watch, which it restarts whenever it ends.
//
// A watch begins with the existing objects (initial events, closed by a bookmark) and goes on with changes. When it
// ends, the reflector watches again from the last revision that was received; when that is too old, it lists again.
// After watches that lived for less than a second and delivered nothing new it backs off: 0.8 s, doubled up to 30 s,
// times a random factor of 1 to 2, as client-go's reflector does. (API servers end the watch of a client that lags
// behind, which happens when thousands of pods are created.) A kind that the API server does not know counts as empty
// and is tried again every 30 s; a kind that it no longer knows keeps its objects, and is listed again when it comes
// back.
//
// The sink of a watch decodes and posts, nothing else. Calls of watch and unwatch block on the network, so in real mode
// a thread of their own makes them (reflector_thread.h); in virtual mode the engine's turn does.
#pragma once

#include "base/random.h"
#include "engine/shared.h"

typedef enum { REFLECTOR_LISTING, REFLECTOR_WATCHING, REFLECTOR_RESTING } ReflectorPhase;

typedef struct {
    EngineShared *shared;
    KubeKind kind;
    // Used by the engine's thread:
    ReflectorPhase phase;
    bool listed;           // at least once
    bool known, gone;      // the API server knew the kind once; and does not know it any more
    bool relist;           // list again after the rest
    bool anew;             // what the next list shows may look otherwise at the same revision (KubeEvent.anew)
    KubeRevision revision; // everything up to this revision was received
    uint32_t failures;     // in a row
    KubeRevision begun_at; // the revision that had been received when the watch began
    Mono begun, rests_until;
    // Used by the thread that calls watch and unwatch:
    KubeWatch *watch;
} Reflector;

typedef enum { WATCH_EVENT_OBJECT, WATCH_EVENT_UNREADABLE, WATCH_EVENT_BOOKMARK, WATCH_EVENT_ENDED } WatchEventType;

// One event of a watch, or (WATCH_EVENT_ENDED) the reason of its end.
struct WatchEvent {
    Mail mail; // first
    Reflector *reflector;
    WatchEventType type;
    KubeRevision revision;
    bool removed, initial_end, anew;
    StateUpdate *update; // WATCH_EVENT_OBJECT; taken over
    KubeError *error;    // WATCH_EVENT_ENDED, malloc'd
    Err *unreadable;     // WATCH_EVENT_UNREADABLE, malloc'd
};

void watch_event_free(WatchEvent *mail);

// Starts the watch, from the beginning or from `revision`. An error of the API server is returned and is also posted as
// WATCH_EVENT_ENDED. Blocks.
ErrCode reflector_watch(Reflector *reflector, KubeRevision revision, Err *err);
// Ends the watch, if there is one. Blocks.
void reflector_unwatch(Reflector *reflector);

// How long to rest after the end of the watch that began at reflector->begun. Counts failures, and sets
// reflector->relist.
int64_t reflector_rest_ns(Reflector *reflector, const KubeError *error, Mono now, Random *random);
