// The embedded API server: Kubernetes' API semantics over a store in memory, behind the table of kube/kube.h.
//
// What it implements and what it leaves out is described in docs/design/sim.md; tests/conformance runs the same cases
// on it and on a real kube-apiserver. It includes the two controllers that the API itself depends on: the garbage
// collector of owner references, and the namespace controller.
//
// Nothing happens by itself. A write is complete when the call returns; watches deliver, and the two controllers work,
// in api_step, which the owner of the simulation calls in its own turn. The caller thus decides the order of
// everything, and equal calls with equal sources give equal histories, byte for byte.
//
// Threads: the table and the functions below may be called from any thread (one lock). A sink runs inside api_step,
// under that lock: it must not call back.
//
// Memory: one allocation per version of an object (sim/api/store/packed.h), shared by reference count between the
// store, its history and readers. The history of a kind keeps the last `history_max` events.
#pragma once

#include "kube/kube.h"

typedef struct ApiServer ApiServer;

// Sources of time and random numbers. Both are called under the server's lock and must not call it; now_ns is also
// called without the lock.
typedef struct {
    int64_t (*now_ns)(void *context); // nanoseconds since 1970
    uint64_t (*random)(void *context);
    void *context;
} ApiSources;

typedef struct {
    ApiSources sources;
    uint32_t history_max; // events kept per kind for watches and pages; 0: 16384
} ApiConfig;

// Makes a server with the namespaces default, kube-node-lease, kube-public and kube-system, at a revision of about 100;
// older revisions are "too old". api_free ends all watches without KUBE_ENDED; the Kube must not be used any more.
ApiServer *api_new(const ApiConfig *config);
void api_free(ApiServer *server);

// The table of functions. Valid until api_free.
Kube api_kube(ApiServer *server);

// Delivers new events to the watches, in the order of revisions over all kinds, oldest watch first, and lets the
// garbage collector and the namespace controller do what is due. Returns whether anything was done: call it until it
// returns false, and the API server has settled. O(new events × watches of their kinds + work).
bool api_step(ApiServer *server);

// The two halves of api_step, for simulations that delay them.
bool api_tell_watches(ApiServer *server);
bool api_collect(ApiServer *server);

// Sends a bookmark to every watch that asked for them. A real server does so about once a minute.
void api_send_bookmarks(ApiServer *server);

// Faults. api_forget_history drops the history, as a compaction of etcd does: older revisions are "too old", also for
// further pages of a list. api_drop_watches ends all watches, as a restart does; they may be started again where they
// were.
void api_forget_history(ApiServer *server);
void api_drop_watches(ApiServer *server);

// For measurements and invariants.
typedef struct {
    KubeRevision revision;
    uint32_t objects; // of all kinds
    uint32_t watches;
    size_t bytes; // of objects, indexes and history
} ApiUsage;
ApiUsage api_usage(ApiServer *server);

// Visits the objects of one kind in the order of their keys, without copies: `visit` borrows the object for the call,
// must not call the server, and ends the walk by returning false. For checkers of invariants. O(size of all).
void api_visit(ApiServer *server, KubeKind kind, bool (*visit)(void *context, const Value *object), void *context);
