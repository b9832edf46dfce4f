// The embedded API server: Kubernetes' own semantics over a store in memory, behind the table of kube/kube.h.
//
// What it keeps to, and what it leaves out, is written in docs/design/sim.md; tests/conformance holds it to the same
// cases as a real kube-apiserver. It includes the two controllers without which the API itself would not keep its
// promises: the garbage collector of owner references, and the one that empties deleted namespaces.
//
// Nothing happens by itself. A write is done when the call returns; watches are told, and the two controllers work, in
// api_step, which the owner of the simulation calls as part of its own turn. So the order of everything is decided by
// the caller, and equal calls with equal sources give equal histories, byte for byte.
//
// Threads: the table and the functions below may be called from any thread (one lock). A sink runs inside api_step,
// under that lock: it must not call back.
//
// Memory: one allocation per version of an object (sim/api/store/packed.h), shared by reference count between the
// store, its history and whoever reads. The history of a kind keeps the last `history_max` events.
#pragma once

#include "kube/kube.h"

typedef struct ApiServer ApiServer;

// Time and chance. Both are called under the server's lock and must not call it; the time is asked for without it too.
typedef struct {
    int64_t (*now_ns)(void *context); // nanoseconds since 1970
    uint64_t (*random)(void *context);
    void *context;
} ApiSources;

typedef struct {
    ApiSources sources;
    uint32_t history_max; // events kept per kind for watches and pages; 0: 16384
} ApiConfig;

// A server with the namespaces default, kube-node-lease, kube-public and kube-system, at revision 100 or so; what lies
// before is "too old". api_free ends all watches without telling them; the Kube must not be used any more.
ApiServer *api_new(const ApiConfig *config);
void api_free(ApiServer *server);

// The table of functions. Valid until api_free.
Kube api_kube(ApiServer *server);

// Tells the watches what is new, in the order of revisions over all kinds, oldest watch first; and lets the garbage
// collector and the namespace controller do what is due now. Whether anything was done: call it until it says no, and
// the cluster is settled as far as the API server is concerned. O(new events × watches of their kinds + work).
bool api_step(ApiServer *server);

// The two halves of api_step, for simulations that delay them.
bool api_tell_watches(ApiServer *server);
bool api_collect(ApiServer *server);

// Sends a bookmark to every watch that asked for them. A real server does so about once a minute.
void api_send_bookmarks(ApiServer *server);

// Faults. Forgets the history up to now, as a compaction of etcd does: older revisions are "too old", pages that
// continue from them too. Ends all watches, as a restarted server does; they may start again where they were.
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

// The objects of one kind, one after the other in the order of their keys, without a copy: `visit` borrows the object
// for the call, must not call the server, and ends the walk with false. For checkers of invariants. O(size of all).
void api_visit(ApiServer *server, KubeKind kind, bool (*visit)(void *context, const Value *object), void *context);
