// The scheduler's own picture of the cluster, and one attempt to place one pod. No I/O, no clock.
//
// Fed with objects by usher_apply; what is only asked for now and then (volumes, services, namespaces) is looked up
// through UsherSources when it is needed. Everything that an attempt looks at for each node is kept up to date as pods
// come and go:
//   shape    what a pod asks of a node by itself; the verdict and preferences per node are remembered per shape
//   class    shape, namespace and labels: what decides between pods
//   tally    how many pods of some description are on each node
//   view     a tally summed up by the domains of a topology key, over the nodes that count
// An attempt costs O(nodes looked at) with a few memory reads each; a pod that comes or goes costs O(tallies it is in).
#pragma once

#include "base/random.h"
#include "kube/kind.h"
#include "model/objects.h"
#include "state/state.h"

enum { USHER_NONE = UINT32_MAX, USHER_RESOURCES = 64 };

// Plugins, as bits of what rejected a pod. Events ask for these.
typedef enum {
    PLUGIN_NODE_UNSCHEDULABLE = 1 << 0,
    PLUGIN_TAINTS = 1 << 1,
    PLUGIN_NODE_AFFINITY = 1 << 2,
    PLUGIN_PORTS = 1 << 3,
    PLUGIN_FIT = 1 << 4,
    PLUGIN_VOLUME_LIMITS = 1 << 5,
    PLUGIN_VOLUMES = 1 << 6,
    PLUGIN_VOLUME_ZONE = 1 << 7,
    PLUGIN_SPREAD = 1 << 8,
    PLUGIN_AFFINITY = 1 << 9,
    PLUGIN_NONE = 1 << 10, // no node at all, or the cycle failed: any event will do
} UsherPlugin;

// Why a node was refused. X(name, plugin, whether taking pods away could help, text)
#define USHER_REASONS(X)                                                                                               \
    X(FITS, 0, false, "")                                                                                              \
    X(UNSCHEDULABLE, PLUGIN_NODE_UNSCHEDULABLE, false, "node(s) were unschedulable")                                   \
    X(TAINT, PLUGIN_TAINTS, false, "node(s) had untolerated taint(s)")                                                 \
    X(NODE_AFFINITY, PLUGIN_NODE_AFFINITY, false, "node(s) didn't match Pod's node affinity/selector")                 \
    X(PORTS, PLUGIN_PORTS, true, "node(s) didn't have free ports for the requested pod ports")                         \
    X(ROOM, PLUGIN_FIT, true, "")                                                                                      \
    X(ROOM_NEVER, PLUGIN_FIT, false, "")                                                                               \
    X(VOLUME_LIMIT, PLUGIN_VOLUME_LIMITS, true, "node(s) exceed max volume count")                                     \
    X(VOLUME_AFFINITY, PLUGIN_VOLUMES, false, "node(s) didn't match PersistentVolume's node affinity")                 \
    X(VOLUME_UNBOUND, PLUGIN_VOLUMES, false, "node(s) didn't find available persistent volumes to bind")               \
    X(VOLUME_IN_USE, PLUGIN_VOLUMES, true,                                                                             \
      "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another "  \
      "pod")                                                                                                           \
    X(VOLUME_ZONE, PLUGIN_VOLUME_ZONE, false, "node(s) had no available volume zone")                                  \
    X(SPREAD_LABEL, PLUGIN_SPREAD, false,                                                                              \
      "node(s) didn't match pod topology spread constraints (missing required label)")                                 \
    X(SPREAD, PLUGIN_SPREAD, true, "node(s) didn't match pod topology spread constraints")                             \
    X(AFFINITY, PLUGIN_AFFINITY, false, "node(s) didn't match pod affinity rules")                                     \
    X(ANTI_AFFINITY, PLUGIN_AFFINITY, true, "node(s) didn't match pod anti-affinity rules")                            \
    X(EXISTING_ANTI_AFFINITY, PLUGIN_AFFINITY, true, "node(s) didn't satisfy existing pods anti-affinity rules")       \
    X(PINNED, PLUGIN_NODE_AFFINITY, false, "node(s) didn't satisfy plugin(s) [NodeAffinity]")                          \
    X(NO_VICTIMS, 0, false, "No preemption victims found for incoming pod")                                            \
    X(PREEMPTION_HELPLESS, 0, false, "Preemption is not helpful for scheduling")

typedef enum {
#define X(name, ...) REASON_##name,
    USHER_REASONS(X)
#undef X
        REASON_COUNT
} UsherReason;

// What the State does not keep of a pod, read from the object itself.
typedef struct {
    bool foreign;       // another scheduler's
    bool never_preempt; // preemptionPolicy: Never
    // matchFields on metadata.name, one entry per required term: the names that are allowed (In), else not (NotIn).
    struct UsherPin *pins;
    uint32_t pin_count;
    // Requests with what scoring takes for containers without any: 100 milli-CPU and 200 MiB. 0: not known.
    int64_t scored_cpu_milli, scored_mem_bytes;
} UsherExtras;

typedef struct UsherPin {
    SymbolVec in, not_in;
    bool has_in;
} UsherPin;

// What is asked for seldom. Pointers are valid for the call of the usher that asked.
typedef struct {
    const Namespace *(*namespace)(void *self, Symbol name);
    const PersistentVolumeClaim *(*claim)(void *self, Symbol ns, Symbol name);
    const PersistentVolume *(*volume)(void *self, Symbol name);
    const StorageClass *(*storage_class)(void *self, Symbol name); // NAME_EMPTY: the default one
    const CSINode *(*csi_node)(void *self, Symbol node);
    const PodOwner *(*owner)(void *self, KubeKind kind, Symbol ns, Symbol name); // ReplicaSet, StatefulSet
    // `index` from 0 on until NULL.
    const Service *(*service)(void *self, uint32_t index);
    const PodDisruptionBudget *(*budget)(void *self, Symbol ns, uint32_t index);
    Symbol (*attached_volume)(void *self, Symbol node, uint32_t index); // of VolumeAttachments; NAME_EMPTY: no more
    void *self;
} UsherSources;

typedef struct Usher Usher;

Usher *usher_new(Symbols *symbols, const UsherSources *sources, Random random);
void usher_free(Usher *usher);
void usher_set_nodes_to_score(Usher *usher, uint32_t percentage);
void usher_set_name_taints(Usher *usher, bool name_taints);

// --- what is there

// The Node as it is now; NULL: it is gone. Returns the slot, or USHER_NONE when nothing changed that counts.
typedef struct {
    uint32_t node; // slot; USHER_NONE: nothing changed that a scheduler looks at
    bool added, removed, labels, taints, room;
} UsherNodeChange;
UsherNodeChange usher_apply_node(Usher *usher, Symbol name, const Node *node);

// Takes a pod up under `slot` (the caller's number), or what became of it. `extras` may be NULL. The pod is counted on
// its node when it has one and is not terminal. O(spec) at first, then O(tallies).
void usher_apply_pod(Usher *usher, uint32_t slot, const Pod *pod, const UsherExtras *extras);
void usher_forget_pod(Usher *usher, uint32_t slot);
// Whether the pod is another than when it was taken up, as far as rules go: then `extras` have to be given again. Of a
// pod on a node only the labels can be. O(labels); O(spec).
bool usher_is_relabelled(const Usher *usher, uint32_t slot, const Pod *pod);
bool usher_is_respecified(Usher *usher, uint32_t slot, const Pod *pod);
// Counts a pod on a node although the API server does not say so yet, and takes that back.
void usher_assume(Usher *usher, uint32_t slot, uint32_t node);
void usher_unassume(Usher *usher, uint32_t slot);
// A node that a pod waits for (preemption): kept free from pods that are not more important. USHER_NONE: none.
void usher_nominate(Usher *usher, uint32_t slot, uint32_t node);
void usher_apply_namespace(Usher *usher, Symbol name);
void usher_services_changed(Usher *usher);
// Anything else that an attempt asks the sources about.
void usher_touch(Usher *usher);

Symbol usher_node_name(const Usher *usher, uint32_t node);
uint32_t usher_find_node(const Usher *usher, Symbol name);
uint32_t usher_node_count(const Usher *usher);
uint32_t usher_pod_node(const Usher *usher, uint32_t slot); // that it is counted on; USHER_NONE: none
bool usher_pod_is_deleting(const Usher *usher, uint32_t slot);
uint32_t usher_class_of(const Usher *usher, uint32_t slot); // pods of one class are equal to every rule

// --- one attempt

typedef struct {
    uint32_t node;          // where to bind; USHER_NONE: nowhere
    uint32_t plugins;       // what refused it (UsherPlugin)
    Slice message;          // for the condition; valid until the next attempt
    uint32_t nominated;     // preemption made room there (or will have); USHER_NONE: no
    bool clear_nomination;  // the node it was nominated for does not help any more
    U32Vec victims;         // pods to be deleted before; valid until the next attempt
    bool waits_for_volumes; // claims have to be bound first: usher_claims_to_bind
} UsherResult;

// O(nodes looked at + pods on candidate nodes when it comes to preemption).
UsherResult usher_attempt(Usher *usher, uint32_t slot);

// The claims of a pod that are bound once a node is selected; names in `arena`.
void usher_claims_to_bind(Usher *usher, uint32_t slot, Arena *arena, SymbolVec *ret_claims);

// --- hints: would a change let a pod of this class pass one of the plugins that refused it?

typedef uint32_t UsherHint; // plugins that may answer otherwise now

UsherHint usher_hint_node(Usher *usher, uint32_t class_index, const UsherNodeChange *change);
// A pod that was counted on a node is there (placed), or is not any more.
UsherHint usher_hint_pod(Usher *usher, uint32_t class_index, uint32_t other_class, bool placed);

// --- for tests and measurements

typedef struct {
    uint32_t shapes, classes, tallies, views;
    uint64_t attempts, attempts_remembered, nodes_walked;
} UsherCounts;
UsherCounts usher_counts(const Usher *usher);
