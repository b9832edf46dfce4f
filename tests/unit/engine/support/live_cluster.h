// LiveCluster: the engine in real mode (threads, the system's clock) with all of tenon's controllers, against the
// embedded API server. Besides it there are a small cloud that answers at once, and one thread, the actor, that steps
// the server and simulates kubelets, scheduler and ReplicaSet: it creates a Node for each instance, binds
// LIVE_PODS_PER_NODE pods to each registered one, ends evicted pods and creates new ones instead.
#pragma once

#include "engine/engine.h"
#include "harness/test.h"
#include "sim/api/api.h"

enum { LIVE_PODS_PER_NODE = 10 };

typedef struct LiveCluster LiveCluster;

// With one NodePool of one instance type, and that many pending pods. No engine yet.
LiveCluster *live_new(uint32_t pods);
void live_free(LiveCluster *cluster);

// From the next live_start on: the observer of an engine with those symbols, and the Kube it is given.
typedef struct {
    const EngineObserver *(*engine_observer)(void *context, const Symbols *symbols);
    Kube (*kube)(void *context, Kube inner);
    void (*started)(void *context, Engine *engine); // NULL: it is ending
    void *context;
} LiveObserver;
void live_set_observer(LiveCluster *cluster, const LiveObserver *observer);

// From the next live_start on the cloud takes several requests at once, and the engine gathers them.
void live_gather(LiveCluster *cluster);

// Starts tenon on a thread of its own; stops it like a crash, whatever is under way.
void live_start(LiveCluster *cluster);
void live_crash(LiveCluster *cluster);

// Objects in the API server and the cloud.
typedef struct {
    uint32_t pods, running; // not terminating
    uint32_t nodes, nodes_full;
    uint32_t claims, claims_initialized, claims_deleting;
    uint32_t instances, launches;
    uint32_t calls_of_many, of_many; // calls of the cloud for several requests, and these
} LiveCounts;
LiveCounts live_counts(LiveCluster *cluster);
// Waits until the cluster has settled: all pods run, and nodes, claims and instances match one to one. False: not
// within minutes, something hangs.
bool live_wait(LiveCluster *cluster);
// Deletes the first `count` NodeClaims.
void live_delete_claims(LiveCluster *cluster, uint32_t count);
