// What the two files of the village share.
#pragma once

#include "engine/support/village.h"

#include <pthread.h>
#include <stdatomic.h>

#define VILLAGE_TYPE "c-4x-amd64-linux"
#define VILLAGE_ZONE "test-zone-a"

// Instances outlive the processes that launch them, so they speak texts, not symbols.
typedef struct {
    uint32_t number;
    char provider_id[64], claim_name[64], claim_uid[64];
    bool joined, ended;
} VillageInstance;

typedef struct {
    pthread_mutex_t lock;
    Vec(VillageInstance *) instances;
    Arena arena;      // of them
    Arena type_arena; // of the present process's types
    Symbols symbols;  // of the present process; what is interned stays
    InstanceTypeVec types;
    uint32_t launches, joined;
} VillageCloud;

struct Village {
    pthread_mutex_t lock; // of the mirror
    ApiServer *server;
    Kube kube;
    Random random; // under the server's lock
    State *mirror;
    KubeWatch *watches[3];
    uint32_t pods, pods_made;
    pthread_t actor, engine_thread;
    atomic_bool over;
    atomic_uint acts; // rounds of the actor
    VillageCloud cloud;
    VillageObserver observer; // all NULL: none
    Engine *engine;
    ThreadExecutor *executor;
};

// village_cloud.c

// The table for a process with those symbols; the process is gone.
Cloud village_cloud_begin(Village *village, const Symbols *symbols);
void village_cloud_end(Village *village);
void village_cloud_free(Village *village);
// The next instance that has no Node yet; NULL: none. It counts as joined.
VillageInstance *village_cloud_next(Village *village);
void village_cloud_count(Village *village, VillageCounts *counts);
