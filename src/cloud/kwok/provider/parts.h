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

void kwok_log(const KwokProvider *provider, Slice message, Slice subject, const Err *err);

// "<doing>, <text of the API server>". Codes that mean something else of a cloud (gone, no capacity) become ERR_IO.
ErrCode kwok_fail_kube(CloudError *error, const char *doing, const KubeError *from);

// --- words.c

// The symbols for interning, until kwok_words_end. Texts stay readable long after it.
Symbols *kwok_words_begin(KwokProvider *provider);
void kwok_words_end(KwokProvider *provider);
void kwok_words_init(KwokProvider *provider);
void kwok_words_free(KwokProvider *provider);

// --- choose.c

typedef struct {
    const InstanceType *type;
    const Offering *offering;
    Resources allocatable; // of the Node
} KwokOffer;

// The cheapest offering that the claim allows and its requests fit on. The first among types of one price, in the order
// in which the claim names them; any among offerings of one type (drawn from the claim's uid). O(types × offerings).
// ERR_CAPACITY: there is none.
ErrCode kwok_choose(const KwokProvider *provider, Arena *arena, const CloudLaunch *launch, KwokOffer *ret_offer,
                    CloudError *error);
// Numbers that are the same for one uid at any time. `purpose` tells apart what they are for.
void kwok_random_of(Slice uid, uint64_t purpose, Random *ret_random);

// --- node.c: Nodes and instances

// "kwok-<claim>-<ten letters and digits>-<number>": drawn from the uid.
Slice kwok_node_name(Arena *arena, Slice claim_name, Slice claim_uid);
// What Karpenter has as the hostname of the Node: the claim's name. Names that are too long for a label lose their
// beginning, so that they still differ. Points into its argument.
Slice kwok_hostname(Slice claim_name);
// The name of the claim that a Node was made for.
Slice kwok_claim_name(Slice node_name, Slice hostname);

CloudInstance kwok_instance_of_offer(Arena *arena, Symbols *symbols, const NodeClaim *claim, Slice node_name,
                                     const KwokOffer *offer);
// Of a claim that was launched, as its status tells.
CloudInstance kwok_instance_of_claim(Arena *arena, Symbols *symbols, const NodeClaim *claim);
// ERR_INVALID: the Node cannot be read.
ErrCode kwok_instance_of_node(Arena *arena, Symbols *symbols, const Value *node, CloudInstance *ret_instance, Err *err);
// The Node to be created. Shares texts with `symbols`.
Value kwok_node_of_instance(Arena *arena, const Symbols *symbols, Slice name, const CloudInstance *instance);

// --- launch.c

ErrCode kwok_launch(KwokProvider *provider, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                    CloudError *error);
// The instance that a Node is. ERR_NOT_FOUND: no such Node.
ErrCode kwok_read_node(KwokProvider *provider, Arena *arena, Slice name, CloudInstance *ret_instance,
                       CloudError *error);

// --- joins.c

// Takes a copy of all. Nothing happens when that Node waits already.
void kwok_join_later(KwokProvider *provider, Slice node_name, Slice claim_name, Slice claim_uid, const Value *node,
                     int64_t delay_ns);
// The Node does not join any more; waits while it is being created.
void kwok_join_cancel(KwokProvider *provider, Slice node_name);
void kwok_joins_free(KwokProvider *provider);

// --- resume.c

// Lets the Nodes join that an earlier process left waiting. O(claims).
ErrCode kwok_resume(KwokProvider *provider, KubeError *error);
