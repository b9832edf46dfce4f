// SchedulerCache: the scheduler's model of the cluster, and an attempt to place one pod. No I/O, no clock.
//
// cache_apply_… feed it with objects; rarely needed ones (volumes, services, namespaces) are looked up through
// CacheSources. Everything that an attempt reads per node is kept up to date as pods come and go:
//   shape    a pod's requirements on a node alone; verdict and preferences per node are cached per shape
//   class    shape, namespace and labels: decides the rules between pods
//   tally    number of pods per node that a term or constraint selects
//   view     a tally summed by the domains of a topology key, over the nodes that count
// An attempt costs O(nodes visited) with a few memory reads each; a pod that comes or goes costs O(tallies it is in).
#pragma once

#include "base/random.h"
#include "kube/kind.h"
#include "model/objects.h"
#include "state/state.h"

enum { CACHE_NONE = UINT32_MAX, CACHE_RESOURCES = 64 };

// Plugins, as bits of what rejected a pod. Events wake pods by these bits.
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
    PLUGIN_NONE = 1 << 10, // no node at all, or an internal error: any event wakes the pod
} CachePlugin;

// Why a node was refused. X(name, plugin, whether removing pods could help, text)
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

// Members of a pod that the State does not keep, read from the object itself.
typedef struct {
    bool foreign;       // of another scheduler
    bool never_preempt; // preemptionPolicy: Never
    // matchFields on metadata.name, one entry per required term: allowed names (In), excluded names (NotIn).
    struct CachePin *pins;
    uint32_t pin_count;
    // Requests as scoring counts them, with 100 milli-CPU and 200 MiB for containers without any. 0: unknown.
    int64_t scored_cpu_milli, scored_mem_bytes;
} CacheExtras;

typedef struct CachePin {
    SymbolVec in, not_in;
    bool has_in;
} CachePin;

// Rarely needed objects. Pointers are valid for the call of the cache that asked.
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

// --- objects

// A change of a Node. cache_apply_node: `node` NULL: the Node is gone.
typedef struct {
    uint32_t node; // slot; CACHE_NONE: nothing that a scheduler reads has changed
    bool added, removed, labels, taints, room;
} CacheNodeChange;
CacheNodeChange cache_apply_node(SchedulerCache *cache, Symbol name, const Node *node);

// Adds a pod under `slot` (the caller's number), or updates it. `extras` may be NULL. The pod counts on its node when
// it has one and is not terminal. O(spec) at first, then O(tallies).
void cache_apply_pod(SchedulerCache *cache, uint32_t slot, const Pod *pod, const CacheExtras *extras);
void cache_forget_pod(SchedulerCache *cache, uint32_t slot);
// Whether the pod changed in what the rules read, so that `extras` have to be given again. Of a pod on a node only the
// labels can change. O(labels); O(spec).
bool cache_is_relabelled(const SchedulerCache *cache, uint32_t slot, const Pod *pod);
bool cache_is_respecified(SchedulerCache *cache, uint32_t slot, const Pod *pod);
// Assumes a pod on a node before the API server shows it, and undoes that.
void cache_assume(SchedulerCache *cache, uint32_t slot, uint32_t node);
void cache_unassume(SchedulerCache *cache, uint32_t slot);
// Nominates a node for a pod (preemption): less important pods may not take its room. CACHE_NONE: none.
void cache_nominate(SchedulerCache *cache, uint32_t slot, uint32_t node);
void cache_apply_namespace(SchedulerCache *cache, Symbol name);
void cache_services_changed(SchedulerCache *cache);
// Any other change of objects that an attempt reads from the sources.
void cache_touch(SchedulerCache *cache);

Symbol cache_node_name(const SchedulerCache *cache, uint32_t node);
uint32_t cache_find_node(const SchedulerCache *cache, Symbol name);
uint32_t cache_node_count(const SchedulerCache *cache);
uint32_t cache_pod_node(const SchedulerCache *cache, uint32_t slot); // node it counts on; CACHE_NONE: none
bool cache_pod_is_deleting(const SchedulerCache *cache, uint32_t slot);
uint32_t cache_class_of(const SchedulerCache *cache, uint32_t slot); // pods of one class are equal to every rule

// --- one attempt

typedef struct {
    uint32_t node;          // node to bind to; CACHE_NONE: none
    uint32_t plugins;       // plugins that refused the pod (CachePlugin)
    Slice message;          // for the condition; valid until the next attempt
    uint32_t nominated;     // node on which preemption makes room; CACHE_NONE: none
    bool clear_nomination;  // the node it was nominated for no longer helps
    U32Vec victims;         // pods to delete first; valid until the next attempt
    bool waits_for_volumes; // claims must be bound first: cache_claims_to_bind
} CacheResult;

// O(nodes visited; with preemption also pods on candidate nodes).
CacheResult cache_attempt(SchedulerCache *cache, uint32_t slot);

// The claims of a pod that are bound once a node is selected; names in `arena`.
void cache_claims_to_bind(SchedulerCache *cache, uint32_t slot, Arena *arena, SymbolVec *ret_claims);

// --- queueing hints: could a change let a pod of this class pass a plugin that refused it?

typedef uint32_t CacheHint; // plugins that may decide differently now

CacheHint cache_hint_node(SchedulerCache *cache, uint32_t class_index, const CacheNodeChange *change);
// `placed`: a pod counts on a node; else it does not any more.
CacheHint cache_hint_pod(SchedulerCache *cache, uint32_t class_index, uint32_t other_class, bool placed);

// --- for tests and measurements

typedef struct {
    uint32_t shapes, classes, tallies, views;
    uint64_t attempts, attempts_remembered, nodes_walked;
} CacheCounts;
CacheCounts cache_counts(const SchedulerCache *cache);
