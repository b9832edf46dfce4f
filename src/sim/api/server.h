// The inside of the embedded API server: its state, and a call on its way through it. Private to src/sim/api.
#pragma once

#include "sim/api/api.h"
#include "sim/api/selector.h"
#include "sim/api/store/store.h"

#include <pthread.h>

// A watch: where it is in the history of its kind.
struct KubeWatch {
    KubeWatch *next; // of all watches, oldest first
    KubeKind kind;
    Arena arena; // of the selectors
    Slice ns;
    Selector labels, fields;
    KubeSink sink;
    uint64_t position; // number of the next event
    bool initial;      // the present state was not told yet
    bool initial_end;  // and a bookmark closes it
    bool bookmarks;
    bool ended;
    KubeRevision told; // latest revision told
};

// Objects for the garbage collector, by the hash of their uid.
typedef struct {
    uint64_t *items; // a ring
    uint32_t first, count, capacity;
} UidQueue;

struct ApiServer {
    pthread_mutex_t lock;
    ApiConfig config;
    Store store;
    Arena scratch; // of the call under way
    KubeWatch *watches;
    KubeRevision told;       // up to which every watch was told all
    bool watches_stirred;    // one began, or history was forgotten, since then
    UidQueue collect;        // objects that may have lost an owner, or wait for their dependents
    UidQueue orphans;        // owners whose dependents are to be orphaned
    bool namespaces_waiting; // some namespace is Terminating, and something was removed since it was last looked at
};

// A call: what it is about, where its memory comes from, and where its failure goes.
typedef struct {
    ApiServer *server;
    Store *store;
    Arena *arena; // scratch
    KubeKind kind;
    const KubeKindInfo *info;
    Slice ns, name, key;
    KubeError *error; // may be NULL
} Request;

// Events that the history of a kind keeps at least.
enum { HISTORY_MIN = 16 };
