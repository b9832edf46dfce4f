// Internals of the embedded API server: its state, and a call in progress. Private to src/sim/api.
#pragma once

#include "sim/api/api.h"
#include "sim/api/selector.h"
#include "sim/api/store/store.h"

#include <pthread.h>

// A watch: a position in the history of its kind.
struct KubeWatch {
    KubeWatch *next; // of all watches, oldest first
    KubeKind kind;
    Arena arena; // of the selectors
    Slice ns;
    Selector labels, fields;
    KubeSink sink;
    uint64_t position; // number of the next event
    bool initial;      // the present state was not delivered yet
    bool initial_end;  // a bookmark ends the initial events
    bool bookmarks;
    bool ended;
    KubeRevision told; // latest revision delivered
};

// Queue of objects for the garbage collector, by the hash of their uid.
typedef struct {
    uint64_t *items; // a ring
    uint32_t first, count, capacity;
} UidQueue;

struct ApiServer {
    pthread_mutex_t lock;
    ApiConfig config;
    Store store;
    Arena scratch; // freed with each call
    KubeWatch *watches;
    KubeRevision told;       // up to this revision everything was delivered to every watch
    bool watches_stirred;    // since then a watch began, or the history was dropped
    UidQueue collect;        // objects that may have lost an owner, or that wait for their dependents
    UidQueue orphans;        // owners whose dependents are to be orphaned
    bool namespaces_waiting; // a namespace is Terminating, and something was removed since the controller last looked
};

// A call in progress: object, memory, and error.
typedef struct {
    ApiServer *server;
    Store *store;
    Arena *arena; // scratch memory
    KubeKind kind;
    const KubeKindInfo *info;
    Slice ns, name, key;
    KubeError *error; // may be NULL
} Request;

// Least number of events in the history of a kind.
enum { HISTORY_MIN = 16 };
