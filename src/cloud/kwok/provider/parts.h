// What the files of the provider share. Private to cloud/kwok/provider.
#pragma once

#include "base/random.h"
#include "cloud/kwok/provider/provider.h"

#include <pthread.h>

// The field manager of what is written.
#define KWOK_MANAGER SLICE("tenon")
// Provider ids are this and the Node's name.
#define KWOK_PREFIX SLICE("kwok://")
// Label and annotation of every Node, by which the kwok controller knows its own.
#define KWOK_MARK_KEY SLICE("kwok.x-k8s.io/node")
#define KWOK_MARK     SLICE("fake")

// Symbols of Nodes that come and go are held for an hour or two after they were last seen: who was told of an instance
// has either written it into an object by then, which holds them, or forgotten it.
typedef struct {
    pthread_mutex_t lock;
    Symbols symbols; // holder: `young`
    SymbolHolder young, old;
    int64_t turned_ns;
} KwokWords;

// A Node that is to join later.
typedef struct KwokJoin KwokJoin;
struct KwokJoin {
    KwokJoin *next;
    Arena arena; // of all that this points to
    Slice node_name, claim_name, claim_uid;
    Value node;
    int64_t due_ns;
    uint32_t failures;
    bool running;   // a thread is creating it
    bool cancelled; // while it was running
};

struct KwokProvider {
    KwokConfig config;
    Arena arena; // of the types
    InstanceTypeVec types;
    Symbols symbols; // for reading; what is interned through it stays
    KwokWords words;

    pthread_mutex_t lock; // of all below
    pthread_cond_t changed;
    KwokJoin *joins;   // no order
    bool resumed;      // what an earlier process left was looked for
    int64_t resume_ns; // not before that time
    uint32_t resume_failures;
    Symbol class_name; // of the KWOKNodeClass that was read last, and found ready; when, and its delay
    int64_t class_read_ns, class_delay_ns;
    bool has_system_clock, has_thread, over, woken;
    pthread_t thread;
};

static inline int64_t kwok_now_ns(const KwokProvider *provider) {
    return provider->config.now_ns(provider->config.now_context);
}

// --- choose.c

typedef struct {
    const InstanceType *type;
    const Offering *offering;
    Resources allocatable; // of the Node
} KwokOffer;
