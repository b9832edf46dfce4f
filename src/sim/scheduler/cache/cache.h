// The scheduler's own picture of the cluster, and one attempt to place one pod. No I/O, no clock.
//
// Fed with objects by cache_apply; what is only asked for now and then (volumes, services, namespaces) is looked up
// through CacheSources when it is needed. Everything that an attempt looks at for each node is kept up to date as pods
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

enum { CACHE_NONE = UINT32_MAX, CACHE_RESOURCES = 64 };

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
} CachePlugin;

// Why a node was refused. X(name, plugin, whether taking pods away could help, text)
#define CACHE_REASONS(X)                                                                                               \
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
    CACHE_REASONS(X)
#undef X
        REASON_COUNT
} CacheReason;

// What the State does not keep of a pod, read from the object itself.
typedef struct {
    bool foreign;       // another scheduler's
    bool never_preempt; // preemptionPolicy: Never
    // matchFields on metadata.name, one entry per required term: the names that are allowed (In), else not (NotIn).
    struct CachePin *pins;
    uint32_t pin_count;
    // Requests with what scoring takes for containers without any: 100 milli-CPU and 200 MiB. 0: not known.
    int64_t scored_cpu_milli, scored_mem_bytes;
} CacheExtras;

typedef struct CachePin {
    SymbolVec in, not_in;
    bool has_in;
} CachePin;

// What is asked for seldom. Pointers are valid for the call of the cache that asked.
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
} CacheSources;

typedef struct SchedulerCache SchedulerCache;

SchedulerCache *cache_new(Symbols *symbols, const CacheSources *sources, Random random);
void cache_free(SchedulerCache *cache);
void cache_set_nodes_to_score(SchedulerCache *cache, uint32_t percentage);
void cache_set_name_taints(SchedulerCache *cache, bool name_taints);

// --- what is there

// The Node as it is now; NULL: it is gone. Returns the slot, or CACHE_NONE when nothing changed that counts.
typedef struct {
    uint32_t node; // slot; CACHE_NONE: nothing changed that a scheduler looks at
    bool added, removed, labels, taints, room;
} CacheNodeChange;
CacheNodeChange cache_apply_node(SchedulerCache *cache, Symbol name, const Node *node);

// Takes a pod up under `slot` (the caller's number), or what became of it. `extras` may be NULL. The pod is counted on
// its node when it has one and is not terminal. O(spec) at first, then O(tallies).
void cache_apply_pod(SchedulerCache *cache, uint32_t slot, const Pod *pod, const CacheExtras *extras);
void cache_forget_pod(SchedulerCache *cache, uint32_t slot);
// Whether the pod is another than when it was taken up, as far as rules go: then `extras` have to be given again. Of a
// pod on a node only the labels can be. O(labels); O(spec).
bool cache_is_relabelled(const SchedulerCache *cache, uint32_t slot, const Pod *pod);
bool cache_is_respecified(SchedulerCache *cache, uint32_t slot, const Pod *pod);
// Counts a pod on a node although the API server does not say so yet, and takes that back.
void cache_assume(SchedulerCache *cache, uint32_t slot, uint32_t node);
void cache_unassume(SchedulerCache *cache, uint32_t slot);
// A node that a pod waits for (preemption): kept free from pods that are not more important. CACHE_NONE: none.
void cache_nominate(SchedulerCache *cache, uint32_t slot, uint32_t node);
void cache_apply_namespace(SchedulerCache *cache, Symbol name);
void cache_services_changed(SchedulerCache *cache);
// Anything else that an attempt asks the sources about.
void cache_touch(SchedulerCache *cache);

Symbol cache_node_name(const SchedulerCache *cache, uint32_t node);
uint32_t cache_find_node(const SchedulerCache *cache, Symbol name);
uint32_t cache_node_count(const SchedulerCache *cache);
uint32_t cache_pod_node(const SchedulerCache *cache, uint32_t slot); // that it is counted on; CACHE_NONE: none
bool cache_pod_is_deleting(const SchedulerCache *cache, uint32_t slot);
uint32_t cache_class_of(const SchedulerCache *cache, uint32_t slot); // pods of one class are equal to every rule

// --- one attempt

typedef struct {
    uint32_t node;          // where to bind; CACHE_NONE: nowhere
    uint32_t plugins;       // what refused it (CachePlugin)
    Slice message;          // for the condition; valid until the next attempt
    uint32_t nominated;     // preemption made room there (or will have); CACHE_NONE: no
    bool clear_nomination;  // the node it was nominated for does not help any more
    U32Vec victims;         // pods to be deleted before; valid until the next attempt
    bool waits_for_volumes; // claims have to be bound first: cache_claims_to_bind
} CacheResult;

// O(nodes looked at + pods on candidate nodes when it comes to preemption).
CacheResult cache_attempt(SchedulerCache *cache, uint32_t slot);

// The claims of a pod that are bound once a node is selected; names in `arena`.
void cache_claims_to_bind(SchedulerCache *cache, uint32_t slot, Arena *arena, SymbolVec *ret_claims);

// --- hints: would a change let a pod of this class pass one of the plugins that refused it?

typedef uint32_t CacheHint; // plugins that may answer otherwise now

CacheHint cache_hint_node(SchedulerCache *cache, uint32_t class_index, const CacheNodeChange *change);
// A pod that was counted on a node is there (placed), or is not any more.
CacheHint cache_hint_pod(SchedulerCache *cache, uint32_t class_index, uint32_t other_class, bool placed);

// --- for tests and measurements

typedef struct {
    uint32_t shapes, classes, tallies, views;
    uint64_t attempts, attempts_remembered, nodes_walked;
} CacheCounts;
CacheCounts cache_counts(const SchedulerCache *cache);
