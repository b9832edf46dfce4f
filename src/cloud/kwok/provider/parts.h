// Internals of the provider, shared by its files. Private to cloud/kwok/provider.
#pragma once

#include "base/random.h"
#include "cloud/kwok/provider/provider.h"
#include "cloud/words.h"

#include <pthread.h>

// Field manager of the provider's writes.
#define KWOK_MANAGER SLICE("tenon")
// Prefix of provider ids; the Node's name follows.
#define KWOK_PREFIX SLICE("kwok://")
// Label and annotation that mark a Node for the kwok controller.
#define KWOK_MARK_KEY SLICE("kwok.x-k8s.io/node")
#define KWOK_MARK     SLICE("fake")

// A Node to be created later.
typedef struct KwokJoin KwokJoin;
struct KwokJoin {
    KwokJoin *next;
    Arena arena; // of all that this points to
    Slice node_name, claim_name, claim_uid;
    Value node;
    int64_t due_ns;
    uint32_t failures;
    bool running;   // a thread is creating the Node
    bool cancelled; // cancelled while it was running
};

struct KwokProvider {
    KwokConfig config;
    Arena arena; // of the types
    InstanceTypeVec types;
    Symbols symbols; // for reading; interning through it is permanent
    Words words;     // of Nodes

    pthread_mutex_t lock; // guards all members below
    pthread_cond_t changed;
    KwokJoin *joins;   // in no order
    bool resumed;      // Nodes that an earlier process left waiting were looked for
    int64_t resume_ns; // not to be looked for before then
    uint32_t resume_failures;
    Symbol
        class_name; // of the KWOKNodeClass that was last read and found ready; with the time of reading and its delay
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
