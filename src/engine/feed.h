// Where the State's news comes from: one watch for each of its kinds, kept alive.
//
// A feed begins with everything there is (initial events, closed by a bookmark) and goes on with changes. When its
// watch ends it goes on from the last revision told; when that is too old, it lists anew. After watches that lived for
// less than a second and told nothing new it waits: 0.8 s, doubled up to 30 s, times 1 to 2, as client-go's reflector
// does. (API servers end the watch of a client that is behind, which happens when pods come in thousands.) A kind that
// the API server does not know counts as empty and is asked for every 30 s; one that it does not know any more keeps
// what it had, and is listed anew when it comes back.
//
// The sink decodes and posts, nothing else. Calls of watch and unwatch block on a network, so in real life a thread of
// their own makes them (feeder.h); in virtual life the engine's turn does.
#pragma once

#include "base/random.h"
#include "engine/commons.h"

typedef enum { FEED_LISTING, FEED_WATCHING, FEED_RESTING } FeedPhase;

typedef struct {
    Commons *commons;
    KubeKind kind;
    // The engine's thread:
    FeedPhase phase;
    bool listed;           // once, at least
    bool known, gone;      // its kind was there once; and is not there any more
    bool relist;           // after resting
    KubeRevision revision; // everything up to it was told
    uint32_t failures;     // in a row
    KubeRevision begun_at; // what had been told when the watch began
    int64_t begun_ns, rests_until_ns;
    // Whoever calls watch and unwatch:
    KubeWatch *watch;
} Feed;

typedef enum { FEED_OBJECT, FEED_UNREADABLE, FEED_BOOKMARK, FEED_ENDED } FeedNews;

// One thing that a watch told, or (FEED_ENDED) why there is none.
struct EngineNews {
    Mail mail; // first
    Feed *feed;
    FeedNews news;
    KubeRevision revision;
    bool removed, initial_end;
    StateUpdate *update; // FEED_OBJECT; taken over
    KubeError *error;    // FEED_ENDED, malloc'd
    Err *unreadable;     // FEED_UNREADABLE, malloc'd
};

void feed_mail_free(EngineNews *mail);

// Starts the watch, from the beginning or from `revision`. What the API server says against it comes as FEED_ENDED as
// well, and is returned. Blocks.
ErrCode feed_watch(Feed *feed, KubeRevision revision, Err *err);
// Gives the watch back, if there is one. Blocks.
void feed_unwatch(Feed *feed);

// How long to rest after a watch has ended that was begun at feed->begun_ns; counts the failure, and decides
// feed->relist.
int64_t feed_rest_ns(Feed *feed, const KubeError *error, int64_t now_ns, Random *random);
