// Where the State learns of changes: one watch for each of its kinds, kept alive.
//
// A reflector begins with everything there is (initial events, closed by a bookmark) and goes on with changes. When its
// watch ends it goes on from the last revision told; when that is too old, it lists anew. After watches that lived for
// less than a second and told nothing new it waits: 0.8 s, doubled up to 30 s, times 1 to 2, as client-go's reflector
// does. (API servers end the watch of a client that is behind, which happens when pods come in thousands.) A kind that
// the API server does not know counts as empty and is asked for every 30 s; one that it does not know any more keeps
// what it had, and is listed anew when it comes back.
//
// The sink decodes and posts, nothing else. Calls of watch and unwatch block on a network, so in real life a thread of
// their own makes them (reflector_thread.h); in virtual life the engine's turn does.
#pragma once

#include "base/random.h"
#include "engine/shared.h"

typedef enum { REFLECTOR_LISTING, REFLECTOR_WATCHING, REFLECTOR_RESTING } ReflectorPhase;

typedef struct {
    EngineShared *shared;
    KubeKind kind;
    // The engine's thread:
    ReflectorPhase phase;
    bool listed;           // once, at least
    bool known, gone;      // its kind was there once; and is not there any more
    bool relist;           // after resting
    KubeRevision revision; // everything up to it was told
    uint32_t failures;     // in a row
    KubeRevision begun_at; // what had been told when the watch began
    Mono begun, rests_until;
    // Whoever calls watch and unwatch:
    KubeWatch *watch;
} Reflector;

typedef enum { WATCH_EVENT_OBJECT, WATCH_EVENT_UNREADABLE, WATCH_EVENT_BOOKMARK, WATCH_EVENT_ENDED } WatchEventType;

// One thing that a watch told, or (WATCH_EVENT_ENDED) why there is none.
struct WatchEvent {
    Mail mail; // first
    Reflector *reflector;
    WatchEventType type;
    KubeRevision revision;
    bool removed, initial_end;
    StateUpdate *update; // WATCH_EVENT_OBJECT; taken over
    KubeError *error;    // WATCH_EVENT_ENDED, malloc'd
    Err *unreadable;     // WATCH_EVENT_UNREADABLE, malloc'd
};

void watch_event_free(WatchEvent *mail);

// Starts the watch, from the beginning or from `revision`. What the API server says against it comes as
// WATCH_EVENT_ENDED as well, and is returned. Blocks.
ErrCode reflector_watch(Reflector *reflector, KubeRevision revision, Err *err);
// Gives the watch back, if there is one. Blocks.
void reflector_unwatch(Reflector *reflector);

// How long to rest after a watch has ended that was begun at reflector->begun; counts the failure, and decides
// reflector->relist.
int64_t reflector_rest_ns(Reflector *reflector, const KubeError *error, Mono now, Random *random);
