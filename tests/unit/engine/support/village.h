// A village: the engine in its real life (threads, the system's clock) with all of tenon's controllers, against the
// embedded API server. Beside it live a small cloud that answers at once, and one thread, the actor, that steps the
// server and plays kubelets, scheduler and ReplicaSet: it makes a Node for each instance, puts VILLAGE_PODS_PER_NODE
// pods on each that is registered, ends pods that are evicted and makes new ones instead.
#pragma once

#include "engine/engine.h"
#include "harness/test.h"
#include "sim/api/api.h"

enum { VILLAGE_PODS_PER_NODE = 10 };

typedef struct Village Village;

// With one NodePool of one instance type, and so many pods that wait for a node. No engine yet.
Village *village_new(uint32_t pods);
void village_free(Village *village);

// From the next start on: who is to look on at an engine with those symbols, and the Kube it is given.
typedef struct {
    const EngineObserver *(*engine_observer)(void *context, const Symbols *symbols);
    Kube (*kube)(void *context, Kube inner);
    void (*started)(void *context, Engine *engine); // NULL: it is ending
    void *context;
} VillageObserver;
void village_set_observer(Village *village, const VillageObserver *observer);

// tenon comes, on a thread of its own, and goes: stopped as a crash, whatever is under way.
void village_start(Village *village);
void village_crash(Village *village);

// What stands in the API server and the cloud.
typedef struct {
    uint32_t pods, running; // not going away
    uint32_t nodes, nodes_full;
    uint32_t claims, claims_initialized, claims_deleting;
    uint32_t instances, launches;
} VillageCounts;
VillageCounts village_counts(Village *village);
// Waits until everything is in its place: all pods run, nodes, claims and instances are one for one and settled. False:
// not within minutes, something hangs.
bool village_wait(Village *village);
// Deletes the first so many NodeClaims.
void village_delete_claims(Village *village, uint32_t count);
