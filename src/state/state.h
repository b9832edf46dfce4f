// State: the cluster in memory. The objects that watches deliver, decoded once, with indexes for the controllers.
//
// One thread owns a State and changes it (the engine's; in the simulator the owner of the cluster's mirror). It does
// not change during a controller's turn, so a turn reads it like a snapshot. Other threads (the solver's) read a
// Snapshot: immutable, shared by reference count, taken in microseconds. docs/design/state.md.
//
// Objects are reached by handles. A pointer from here is valid until the next state_apply of the same State. Each event
// replaces its object as a whole; nothing is changed in place. Behaviour: reference scheduling.md 7, lifecycle.md 0.7.
// Walks are in the order of slots, which depends on the order of events only: equal events, equal walks.
#pragma once

#include "base/time.h"
#include "kube/kube.h"
#include "model/objects.h"

// --- objects

// Handle: identifies one object for as long as it exists. A slot that is reused has another generation.
typedef struct {
    uint32_t index, generation; // generation 0: no object
} Handle;
typedef Vec(Handle) HandleVec;

#define HANDLE_NONE ((Handle){0})

static inline bool handle_eq(Handle a, Handle b) {
    return a.index == b.index && a.generation == b.generation;
}

// The kinds that a State keeps, and the struct that each is decoded into. Other kinds are ignored.
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

// Symbols of all objects decoded for this State; thread-safe (base/symbol.h). Interning through it is permanent:
// strings that come and go belong to a holder (symbol_hold, snapshot_cluster).
Symbols *state_symbols(const State *state);

bool state_keeps(KubeKind kind);

// The object of a handle, NULL when it is gone: state_pod(state, handle), state_node(…), one function per row. O(1).
#define X(kind, type, word) const type *state_##word(const State *state, Handle handle);
STATE_KINDS(X)
#undef X

// The object of that name (ns NAME_EMPTY for cluster-scoped kinds) or uid; HANDLE_NONE: none. O(1).
Handle state_find(const State *state, KubeKind kind, Symbol ns, Symbol name);
Handle state_find_uid(const State *state, KubeKind kind, Symbol uid);

// Walks the objects of a kind: start with HANDLE_NONE; HANDLE_NONE at the end. O(1) amortised.
Handle state_next(const State *state, KubeKind kind, Handle after);
uint32_t state_count(const State *state, KubeKind kind);

// --- changes

// An object that was decoded outside of the State, on any thread, to be taken over by state_apply.
typedef struct StateUpdate StateUpdate;

// Decodes `object`, which is borrowed for the call. ERR_INVALID: the API server returned something that cannot be
// decoded; the text names the field. O(size).
ErrCode state_decode(Symbols *symbols, KubeKind kind, const Value *object, StateUpdate **ret_update, Err *err);
void state_update_free(StateUpdate *update);

typedef struct {
    KubeKind kind;
    Handle
        handle; // of the object; that of a removed object still names its slot during the call that reports the removal
    const void *before,
        *after; // the row's struct; NULL: did not exist, does not exist any more. Valid until the next apply
    KubeRevision revision;
    Symbol ns, name;
} StateChange;

// Adds, replaces or (removed) removes an object. An event older than the stored revision changes nothing and returns
// false, so the answer to a write of our own and the watch event about it may come in any order. A removed object is
// not added again by an older event either (removals are remembered by uid, the last 65,536 of them, until
// state_forget_removed). An object of the same name with another uid replaces the stored one: the handles of that one
// end, and `before` is that one. O(object), and while a snapshot is held a copy of 128 pointers.
bool state_apply(State *state, StateUpdate *update, bool removed, StateChange *ret_change);

// Forgets removals before that revision, to save memory, but not more than `most` at once. No older event may be
// applied afterwards. O(what is forgotten).
void state_forget_removed(State *state, KubeRevision before, uint32_t most);

// Brackets a relist: objects of the kind that are not applied between the two calls were removed while there was no
// watch. state_relist_end removes them and calls `tell` for each. `anew`: what is shown may have changed without the
// objects: until the end an object of the same revision is news, and one that was removed may be there again.
void state_relist_begin(State *state, KubeKind kind, bool anew);
void state_relist_end(State *state, KubeKind kind, KubeRevision revision,
                      void (*tell)(void *context, const StateChange *change), void *context);

// --- indexes

// O(1), but for the size of the answer. A returned vector is valid until the next apply; never NULL.

const HandleVec *state_pods_on_node(const State *state, Symbol node_name);  // including terminal ones
const HandleVec *state_pods_of_owner(const State *state, Symbol owner_uid); // once per reference to the owner
// Pods without a node that are not terminal, in order of arrival.
const HandleVec *state_pods_pending(const State *state);
const HandleVec *state_nodes_with_provider_id(const State *state, Symbol provider_id);
const HandleVec *state_claims_with_provider_id(const State *state, Symbol provider_id);
const HandleVec *state_claims_of_pool(const State *state, Symbol pool); // label karpenter.sh/nodepool
const HandleVec *state_nodes_of_pool(const State *state, Symbol pool);
const HandleVec *state_attachments_on_node(const State *state, Symbol node_name);
const HandleVec *state_budgets_in(const State *state, Symbol ns);
const HandleVec *state_volume_claims_in(const State *state, Symbol ns);

// Sums over the pods of a node that are not terminal (terminating ones count).
typedef struct {
    Resources requests, daemon_requests; // requests includes daemon_requests
    uint32_t pods, daemon_pods;
    uint32_t reschedulable; // neither of a DaemonSet nor static; active, or terminating and of a StatefulSet
} NodeUsage;
const NodeUsage *state_node_usage(const State *state, Symbol node_name); // never NULL

// The Node of a NodeClaim and vice versa: those with the same provider id (scheduling.md 7.2). HANDLE_NONE when there
// is none (a claim that has not launched, a Node without claim) or more than one.
Handle state_node_of_claim(const State *state, Handle claim);
Handle state_claim_of_node(const State *state, Handle node);

// Usage of a pool, for its limits: capacity of its claims and nodes that are not going away (a claim without an
// instance counts with its requests), and their number. O(1).
typedef struct {
    Resources capacity;
    uint32_t nodes;    // `capacity` has it too, as resource `nodes`
    uint32_t deleting; // going away; not in the other sums
} PoolUsage;
const PoolUsage *state_pool_usage(const State *state, Symbol pool); // never NULL
// What the claim of a pool has in that, or had before it was going away; empty: it is of no pool, or gone. O(1).
const Resources *state_claim_usage(const State *state, Handle claim); // never NULL

// --- state that only this process knows

// Marks a claim that a command wants to remove: it counts as going away. The mark ends with the object.
void state_mark_deleting(State *state, Handle claim, bool deleting);
// Whether the machine is going away: marked, deletionTimestamp, condition InstanceTerminating, or a deleting Node
// without a claim.
bool state_claim_is_deleting(const State *state, Handle claim);
bool state_node_is_deleting(const State *state, Handle node);
// Nominates a Node: pods are expected to be bound to it until then (lifecycle.md 0.7).
void state_nominate(State *state, Handle node, Mono until);
Mono state_nominated_until(const State *state, Handle node);

// Pods were moved to a node to save money; until then that has not paid back. {0}: never, or it has been long since.
// The later of several times counts. It is forgotten when the process ends.
void state_settle(State *state, Handle node, Mono until);
Mono state_settles_until(const State *state, Handle node);

// What disruption's last look expects of a Node. It is forgotten when the process ends.
typedef struct {
    uint32_t place;  // in the order in which nodes go: 1 first, equal ones in no order; 0: it is not in it
    bool is_planned; // it would go, but for what has to pass first
} NodeOutlook;
void state_expect(State *state, Handle node, NodeOutlook outlook);
NodeOutlook state_outlook(const State *state, Handle node); // {0}: nothing is expected
// Whether there was such a look, since when {0} says something.
void state_set_looked_ahead(State *state);
bool state_has_looked_ahead(const State *state);

// Orders: NodeClaims whose creation was asked for, with what each may count against the limits of its pool at most
// (`most`, `nodes` included), until it is launched or gone. Whoever creates claims notes them here before it asks the
// API server, so that no two decisions use up the same room. Forgotten when the process ends. Returns the order's
// number.
uint32_t state_order(State *state, Symbol pool, const Resources *most);
// The claim was created. An order that is over is allowed here and below.
void state_order_made(State *state, uint32_t number, Symbol claim);
// It was not; `until`: nobody knows, and the order counts until then. {0}: it is over.
void state_order_failed(State *state, uint32_t number, Mono until);
// Forgets the orders that are over. O(orders).
void state_forget_orders(State *state, Mono now);
// Whether the claim was ordered and is not launched. O(orders).
bool state_is_on_order(const State *state, Symbol claim);
// Adds to the usage of a pool (state_pool_usage) what its claims on order may count beyond it. O(orders).
void state_add_orders(const State *state, Arena *arena, Symbol pool, Resources *usage);

// --- snapshots

// Takes a snapshot of the State, for other threads. Chunks of 128 slots are shared, and copied when they are written
// to. O(slots / 128), and O(claims) while one of them is marked.
typedef struct Snapshot Snapshot;
Snapshot *state_snapshot(State *state);
void snapshot_free(Snapshot *snapshot); // any thread; NULL is allowed

// Makes the planner's input (model/objects.h) from a snapshot: shallow copies in `arena`, valid as long as the
// snapshot. Claims that are marked have meta.deleting set. Pods: those that are bound and not terminal, and unbound
// ones that wait for a node (condition PodScheduled with reason Unschedulable). The cluster shares the State's symbols
// and must not be given to cluster_free; what is interned through it lives as long as the snapshot. A cluster is for
// one thread; several threads may each make one from the same snapshot. O(objects).
void snapshot_cluster(Snapshot *snapshot, Arena *arena, Cluster *ret_cluster);

// For measurements and tests.
typedef struct {
    size_t bytes; // of everything allocated, without malloc's overhead
    uint32_t objects, snapshots, symbols;
    uint32_t removals;      // that are remembered
    uint64_t chunks_copied; // since state_new, because a snapshot shared them
} StateMemory;
StateMemory state_memory(const State *state);
