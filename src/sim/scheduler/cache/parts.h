// Internals of the cache, shared by its files. Private to src/sim/scheduler.
//
// Slots are numbers that are reused; arrays by node slot grow together. Heap memory is freed with its owner; texts and
// labels of a class or shape are in its own arena.
#pragma once

#include "base/alloc.h"
#include "base/buffer.h"
#include "sim/scheduler/cache/cache.h"

// --- growing arrays on the heap

typedef struct {
    uint32_t *items;
    uint32_t count, capacity;
} CacheList;

// --- nodes

typedef struct {
    Symbol name; // NAME_EMPTY: free slot
    bool present;
    Arena arena; // of the two below
    Labels labels;
    TaintVec taints;
    Symbol zone, region;
    uint32_t first_pod; // pods that count here
    uint32_t pod_count, allowed_pods;
    uint32_t claim_count; // volume claims of those pods, counted once per mount
    CacheList nominated;  // pods nominated for this node
    struct CachePort *ports;
    uint32_t port_count, port_capacity;
} CacheNode;

// Stamps of a node's last changes: of labels, taints and presence, and of its room. Apart from CacheNode, since the
// walk over nodes reads nothing else of most nodes.
typedef struct {
    uint64_t side, room;
} CacheStamps;

typedef struct CachePort {
    HostPort port;
    uint32_t pods;
} CachePort;

// Room of all nodes for one resource, contiguous for the walk over nodes.
typedef struct {
    Symbol resource;
    int64_t *allocatable, *requested; // by node slot
} CacheColumn;

// --- requirements of a pod on a node alone

// Cached result for a shape and a node.
typedef struct {
    CacheStamps stamps;   // of the node at that time; 0: never computed
    int32_t preference;   // sum of the weights of matching preferred terms
    uint16_t intolerable; // number of PreferNoSchedule taints
    int16_t room_score;   // score of a node with room
    uint8_t side, room;   // CacheReason
} CacheVerdict;

typedef struct {
    uint32_t column;
    int64_t amount;
} CacheRequest;

typedef struct {
    uint32_t refs; // number of classes; 0: free
    uint64_t hash;
    Slice identity;
    Arena arena;
    PodSpec spec; // deep copy
    bool has_fields;
    int32_t priority;
    Vec(CacheRequest) requests;
    int64_t cpu_milli, mem_bytes, scored_cpu_milli, scored_mem_bytes;
    CacheVerdict *verdicts; // by node slot
    uint32_t verdict_count;
    uint64_t used_at; // number of the attempt that used it last, for dropping verdicts
} CacheShape;

// --- rules between pods

// A topology key, with its values numbered.
typedef struct {
    Symbol key;
    IndexMap domains; // value → number
    struct {
        Symbol value;
        uint32_t nodes;
    } * values;
    uint32_t value_count, value_capacity;
    CacheList unused;
    uint32_t *of_node; // CACHE_NONE: no label
    uint32_t of_node_capacity;
} CacheKey;

typedef struct {
    uint32_t refs; // 0: free
    uint32_t tally, key;
    uint32_t shape; // only nodes that the shape's affinity allows count; CACHE_NONE: all
    bool honor_affinity, honor_taints;
    uint32_t *needed_keys; // labels that a node must have to count
    uint32_t needed_key_count;
    uint32_t *domain_of; // by node slot; CACHE_NONE: does not count
    uint32_t domain_of_capacity;
    uint32_t *sum, *nodes; // by domain
    uint32_t domain_capacity;
    uint32_t positive; // domains with a sum above 0
    uint32_t domains;  // domains with a node
    uint64_t epoch;
    uint32_t log_at;
    uint64_t version; // number of changes
    uint64_t least_version;
    uint32_t least; // smallest sum of a domain with a node
} CacheView;

typedef enum { TALLY_ALIVE, TALLY_ALL, TALLY_HOLDERS } TallyKind;
typedef enum { ROLE_AFFINITY, ROLE_ANTI_AFFINITY, ROLE_PREFERRED, ROLE_PREFERRED_ANTI } TermRole;

// The pods that a term or constraint selects: all of these must match.
typedef struct {
    const LabelSelector *selector; // NULL: none
    SymbolVec namespaces;
    const LabelSelector *namespace_selector;
} CacheTarget;

typedef struct {
    uint32_t refs; // 0: free
    uint64_t hash;
    Slice identity;
    Arena arena;
    TallyKind kind;
    Vec(CacheTarget) targets; // pods that match all of them are counted; of holders: the pods that the term is about
    TermRole role;            // of holders
    int32_t weight;
    uint32_t view;
    uint32_t *on_node;
    uint32_t on_node_capacity;
    uint32_t total;
    CacheList views;
    bool asks_namespaces;
} CacheTally;

typedef struct {
    uint32_t tally, view;
    Symbol key;
    int32_t weight, max_skew, min_domains;
    bool matches_self, is_hostname;
    // A spread with an empty selector: kube-scheduler counts no existing pod for it, only pods that it adds and removes
    // during an attempt. `before`: the tally at the start of the attempt.
    bool counts_nobody;
    uint32_t before;
} CacheRule;
typedef struct {
    CacheRule *items;
    uint32_t count, capacity;
} CacheRules;

typedef struct {
    uint32_t refs; // number of pods; 0: free
    uint64_t hash;
    Slice identity;
    Arena arena;
    uint32_t shape;
    Symbol ns;
    Labels labels;
    KubeKind owner_kind; // KUBE_KIND_COUNT: none
    Symbol owner_name;
    CacheList counted_in; // tallies
    CacheList aimed_by;   // tallies of holders whose terms select this class
    bool ruled;           // the rules below were made
    uint64_t services_epoch;
    bool soft_is_default;
    CacheRules hard, soft;
    CacheRules affinity, anti_affinity; // required terms; all of `affinity` share one tally
    CacheRules preferred;               // weight < 0: anti-affinity
    CacheRules held;                    // tallies of the holders of its own terms
    bool affinity_matches_self;
    uint32_t first_pod;
    // The last failed attempt, and the state of the cache then.
    uint64_t failed_at;
    uint32_t failed_plugins;
    char *failed_message;
} CacheClass;

typedef struct {
    Symbol ns, name; // name of the claim
    bool ephemeral;  // of an ephemeral volume
} CacheClaim;

typedef struct {
    bool used;
    Symbol ns, name;
    uint32_t class_index, node; // CACHE_NONE: not counted
    bool alive;                 // counted in TALLY_ALIVE too
    bool deleting, assumed, preempted, never_preempt;
    int32_t priority;
    int64_t created_ns, started_ns;
    uint32_t nominated;
    uint32_t next_on_node, previous_on_node, next_in_class, previous_in_class;
    CacheClaim *claims;
    uint32_t claim_count;
    CachePin *pins; // one allocation with their symbols
    uint32_t pin_count;
    bool missing_ephemeral;
} CachePod;

struct SchedulerCache {
    Symbols *symbols;
    CacheSources sources;
    Random random;
    uint32_t percentage;
    bool name_taints;

    CacheNode *nodes;
    uint32_t node_count, node_capacity; // slots
    CacheList free_nodes;
    IndexMap node_names;
    Arena arena;                          // of maps
    CacheColumn columns[CACHE_RESOURCES]; // the first two: CACHE_CPU, CACHE_MEMORY
    uint32_t column_count, column_rows;
    int64_t *scored_cpu_milli, *scored_mem_bytes; // by node
    CacheStamps *stamps;                          // by node
    struct {
        Symbol zone, region;
        CacheList nodes;
    } * zones;
    uint32_t zone_count, zone_capacity;
    CacheList order; // nodes in the order of visiting
    bool order_stale;
    uint32_t start; // start of the next walk
    uint32_t nominated_total;
    struct {
        int32_t priority;
        uint32_t pods;
    } * priorities; // of pods on nodes, each once
    uint32_t priority_count, priority_capacity;

    uint64_t stamp;  // last one assigned
    uint64_t change; // number of changes of anything that an attempt may read
    uint64_t epoch;  // of the log
    CacheList log;   // nodes in the order of their changes
    uint64_t services_epoch;

    CacheShape *shapes;
    uint32_t shape_count, shape_capacity, shapes_live, verdicts_live;
    CacheList free_shapes;
    CacheClass *classes;
    uint32_t class_count, class_capacity, classes_live;
    CacheList free_classes;
    CacheTally *tallies;
    uint32_t tally_count, tally_capacity, tallies_live;
    CacheList free_tallies;
    CacheView *views;
    uint32_t view_count, view_capacity, views_live;
    CacheList free_views;
    struct CacheIndex {
        uint32_t *slots; // chained hash table: first item of each bucket
        uint32_t *next;  // by item
        uint32_t buckets, next_capacity;
    } shape_index, class_index, tally_index;
    CacheKey *keys;
    uint32_t key_count, key_capacity;

    CachePod *pods;
    uint32_t pod_capacity;

    Buffer scratch;
    Arena attempt_arena;
    CacheList feasible; // of the present attempt
    CacheVerdict odd;   // verdict of a shape whose verdicts are not cached
    uint8_t *reasons;   // by node slot, of the last walk
    uint32_t reasons_capacity;
    CacheCounts counts;
};

enum { CACHE_EXTRAS_BYTES = 32 }; // length of the beginning of a shape's identity: priority and extras

typedef struct CacheIndex CacheIndex;

enum { CACHE_CPU, CACHE_MEMORY }; // columns

typedef struct {
    SchedulerCache *cache;
    uint32_t slot;
    CachePod *pod;
    CacheClass *class;
    CacheShape *shape;
    CacheList active_anti;           // holders of anti-affinity that select the class and are on a node
    bool affinity_nowhere;           // no pod matches the required affinity
    struct CacheVolumeNeed *volumes; // in the attempt's arena
    uint32_t volume_count;
    bool waits_for_volumes;
    U32Vec rivals; // pods that use a ReadWriteOncePod claim of this pod; in the attempt's arena
    Slice refused; // message if the pod was refused before any node was looked at
    uint32_t refused_plugin;
} CacheTrial;

typedef struct CacheVolumeNeed {
    const PersistentVolume *volume; // of a bound claim; NULL: it does not exist, or the claim is not bound
    bool is_bound;
    const StorageClass *storage_class; // of a claim that waits for its first consumer
    Symbol selected_node;              // NAME_EMPTY: none yet
    Symbol driver;
    uint64_t identity; // of the volume that would be attached
    CacheClaim claim;
} CacheVolumeNeed;

typedef struct {
    uint32_t node; // CACHE_NONE: preemption does not help
    U32Vec victims;
    Slice message;
    bool clear_nomination;
} CachePreemption;

typedef struct {
    uint32_t nodes; // in the cluster
    uint32_t reasons[REASON_COUNT];
    uint32_t short_of[CACHE_RESOURCES], too_many_pods;
    Vec(Slice) taints; // with name_taints: a text per node
} CacheDiagnosis;
