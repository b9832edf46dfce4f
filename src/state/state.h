// The cluster in memory: what the watches told, decoded once, with the indexes that controllers ask for.
//
// One thread owns a State and changes it (the engine's; in the simulator the owner of the cluster's mirror). Between
// two changes nothing moves, so a turn of a controller reads it as it would a snapshot. What another thread reads (the
// solver's) is a Snapshot: immutable, shared by reference count, made in microseconds. docs/design/state.md.
//
// Objects are reached by handles. A pointer from here is valid until the next state_apply of the same State. An object
// is replaced as a whole by each event; nothing in it is changed in place.
// Behaviour: reference scheduling.md 7, lifecycle.md 0.7. Every walk is in the order of slots, which depends on the
// order of events only: equal events, equal walks.
#pragma once

#include "base/time.h"
#include "kube/kube.h"
#include "model/objects.h"

// --- objects

// Names one object for as long as it exists. A slot that is used again has another generation.
typedef struct {
    uint32_t index, generation; // generation 0: no object
} Handle;
typedef Vec(Handle) HandleVec;

#define HANDLE_NONE ((Handle){0})

static inline bool handle_eq(Handle a, Handle b) {
    return a.index == b.index && a.generation == b.generation;
}

// The kinds that a State keeps, and the struct each is decoded into. Other kinds are not decoded.
#define STATE_KINDS(X)                                                                                                 \
    X(POD, Pod, pod)                                                                                                   \
    X(NODE, Node, node)                                                                                                \
    X(NODE_POOL, NodePool, node_pool)                                                                                  \
    X(NODE_CLAIM, NodeClaim, node_claim)                                                                               \
    X(EC2_NODE_CLASS, EC2NodeClass, ec2_node_class)                                                                    \
    X(KWOK_NODE_CLASS, KWOKNodeClass, kwok_node_class)                                                                 \
    X(NAMESPACE, Namespace, namespace)                                                                                 \
    X(PERSISTENT_VOLUME, PersistentVolume, persistent_volume)                                                          \
    X(PERSISTENT_VOLUME_CLAIM, PersistentVolumeClaim, persistent_volume_claim)                                         \
    X(STORAGE_CLASS, StorageClass, storage_class)                                                                      \
    X(CSI_NODE, CSINode, csi_node)                                                                                     \
    X(VOLUME_ATTACHMENT, VolumeAttachment, volume_attachment)                                                          \
    X(POD_DISRUPTION_BUDGET, PodDisruptionBudget, pod_disruption_budget)                                               \
    X(SERVICE, Service, service)                                                                                       \
    X(REPLICA_SET, PodOwner, replica_set)                                                                              \
    X(STATEFUL_SET, PodOwner, stateful_set)                                                                            \
    X(DAEMON_SET, DaemonSet, daemon_set)                                                                               \
    X(PRIORITY_CLASS, PriorityClass, priority_class)                                                                   \
    X(RUNTIME_CLASS, RuntimeClass, runtime_class)

typedef struct State State;

State *state_new(void);
void state_free(State *state);

// Shared by everything that was decoded for this State; safe to use from several threads (base/symbol.h). What is
// interned through it stays for good: words that come and go belong to a holder (symbol_hold, snapshot_cluster).
Symbols *state_symbols(const State *state);

bool state_keeps(KubeKind kind);

// The object of a handle, NULL when it is gone: state_pod(state, handle), state_node(…), one for each row. O(1).
#define X(kind, type, word) const type *state_##word(const State *state, Handle handle);
STATE_KINDS(X)
#undef X

// The object of that identity (ns NAME_EMPTY for cluster-wide kinds); HANDLE_NONE: none. O(1).
Handle state_find(const State *state, KubeKind kind, Symbol ns, Symbol name);
Handle state_find_uid(const State *state, KubeKind kind, Symbol uid);

// Walks a kind: start with HANDLE_NONE; HANDLE_NONE at the end. O(1) amortised.
Handle state_next(const State *state, KubeKind kind, Handle after);
uint32_t state_count(const State *state, KubeKind kind);

// --- changes

// An object decoded outside of the State, on any thread. A state_apply takes it over.
typedef struct StateUpdate StateUpdate;

// `object` is borrowed for the call. ERR_INVALID: the API server gave something that cannot be read; the text names the
// field. O(size).
ErrCode state_decode(Symbols *symbols, KubeKind kind, const Value *object, StateUpdate **ret_update, Err *err);
void state_update_free(StateUpdate *update);

typedef struct {
    KubeKind kind;
    Handle handle;              // of the object; still names its slot in the call that tells of its removal
    const void *before, *after; // the row's struct; NULL: it was not, it is not any more. Valid until the next apply
    KubeRevision revision;
    Symbol ns, name;
} StateChange;

// Puts an object in, or (removed) takes it out. An older revision than the one that is there changes nothing and
// returns false, so that the answer to an own write and the watch's event of it may come in any order. An object that
// was removed does not come back by an older revision either (remembered by uid, the last 65,536 of them). An object of
// the same name and another uid takes the place of the one that is there: its handles end, `before` is the other
// object. O(object), and while a snapshot is held one copy of 128 pointers.
bool state_apply(State *state, StateUpdate *update, bool removed, StateChange *ret_change);

// Forgets the objects that were removed before that revision; nothing older than it may be applied afterwards. Saves
// memory, no more.
void state_forget_removed(State *state, KubeRevision before);

// A list began anew: everything of the kind that is not applied before state_relist_end was removed while nobody was
// watching. state_relist_end calls `tell` for each of them after it was taken out.
void state_relist_begin(State *state, KubeKind kind);
void state_relist_end(State *state, KubeKind kind, KubeRevision revision,
                      void (*tell)(void *context, const StateChange *change), void *context);

// --- indexes

// All O(1) beside the answer. A returned vector is valid until the next apply; never NULL.

const HandleVec *state_pods_on_node(const State *state, Symbol node_name);  // terminal ones, too
const HandleVec *state_pods_of_owner(const State *state, Symbol owner_uid); // once for each reference to it
// No node, not terminal; in the order in which they came.
const HandleVec *state_pods_pending(const State *state);
const HandleVec *state_nodes_with_provider_id(const State *state, Symbol provider_id);
const HandleVec *state_claims_with_provider_id(const State *state, Symbol provider_id);
const HandleVec *state_claims_of_pool(const State *state, Symbol pool); // label karpenter.sh/nodepool
const HandleVec *state_nodes_of_pool(const State *state, Symbol pool);
const HandleVec *state_attachments_on_node(const State *state, Symbol node_name);
const HandleVec *state_budgets_in(const State *state, Symbol ns);
const HandleVec *state_volume_claims_in(const State *state, Symbol ns);

// Σ over pods on the node that are not terminal (terminating ones count).
typedef struct {
    Resources requests, daemon_requests; // the former holds the latter
    uint32_t pods, daemon_pods;
    uint32_t reschedulable; // neither of a DaemonSet nor static; active, or terminating and of a StatefulSet
} NodeUsage;
const NodeUsage *state_node_usage(const State *state, Symbol node_name); // never NULL

// The Node and the NodeClaim that belong together (scheduling.md 7.2: same provider id; a claim that has not launched
// stands alone, as does a Node without a claim). HANDLE_NONE for the half that is not there, or is there twice.
Handle state_node_of_claim(const State *state, Handle claim);
Handle state_claim_of_node(const State *state, Handle node);

// What a pool's nodes take of its limits: capacity of its claims and nodes that are not going away (an unlaunched claim
// counts with its requests), and how many there are. O(1).
typedef struct {
    Resources capacity;
    uint32_t nodes;    // with `nodes` of `capacity` the same
    uint32_t deleting; // going away, not in the others
} PoolUsage;
const PoolUsage *state_pool_usage(const State *state, Symbol pool); // never NULL

// --- what only the process knows

// A claim that a command wants to remove: counts as going away. Forgotten with the object.
void state_mark_deleting(State *state, Handle claim, bool deleting);
// Going away: marked, or deletionTimestamp, or condition InstanceTerminating, or a Node without claim that is deleting.
bool state_claim_is_deleting(const State *state, Handle claim);
bool state_node_is_deleting(const State *state, Handle node);
// A pass expects a pod there until then (lifecycle.md 0.7).
void state_nominate(State *state, Handle node, Mono until);
Mono state_nominated_until(const State *state, Handle node);

// --- snapshots

// The State as it is now, for other threads. Chunks of 128 slots are shared, and copied when they are written to.
// O(slots / 128), and O(claims) while one of them is marked.
typedef struct Snapshot Snapshot;
Snapshot *state_snapshot(State *state);
void snapshot_free(Snapshot *snapshot); // any thread; NULL is allowed

// The snapshot as the planner reads it (model/objects.h): shallow copies in `arena`, valid as long as the snapshot.
// Claims that are marked come with meta.deleting. Pods: bound ones that are not terminal, and the unbound ones that
// wait for a node (condition PodScheduled, reason Unschedulable). The cluster shares the State's symbols and must not
// be given to cluster_free; what is interned through it lives as long as the snapshot. One thread works on a cluster;
// several may make one each from the same snapshot. O(objects).
void snapshot_cluster(Snapshot *snapshot, Arena *arena, Cluster *ret_cluster);

// For measurements and tests.
typedef struct {
    size_t bytes; // of all that is alive, without what malloc adds to each piece
    uint32_t objects, snapshots, symbols;
    uint64_t chunks_copied; // since state_new, because a snapshot had them
} StateMemory;
StateMemory state_memory(const State *state);
