// Internals of LiveCluster, shared by its files.
#pragma once

#include "engine/support/live_cluster.h"

#include <pthread.h>
#include <stdatomic.h>

#define LIVE_TYPE "c-4x-amd64-linux"
#define LIVE_ZONE "test-zone-a"

// Instances outlive the processes that launch them, so they have texts, not symbols.
typedef struct {
    uint32_t number;
    char provider_id[64], claim_name[64], claim_uid[64];
    bool joined, ended;
} LiveInstance;

typedef struct {
    pthread_mutex_t lock;
    Vec(LiveInstance *) instances;
    Arena arena;      // of them
    Arena type_arena; // of the present process's types
    Symbols symbols;  // of the present process; permanent
    InstanceTypeVec types;
    uint32_t launches, joined;
    bool gathers;                    // it takes several requests at once, and has windows
    uint32_t calls_of_many, of_many; // so many calls for so many requests
} LiveCloud;

struct LiveCluster {
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
    LiveCloud cloud;
    LiveObserver observer; // all NULL: none
    Engine *engine;
    ThreadExecutor *executor;
};

// live_cloud.c

// Begins a process with those symbols, and ends it.
Cloud live_cloud_begin(LiveCluster *cluster, const Symbols *symbols);
void live_cloud_end(LiveCluster *cluster);
void live_cloud_free(LiveCluster *cluster);
// The next instance that has no Node yet; NULL: none. It counts as joined.
LiveInstance *live_cloud_next(LiveCluster *cluster);
void live_cloud_count(LiveCluster *cluster, LiveCounts *counts);
