// The insides of the cache, shared by its files. Private to src/sim/scheduler.
//
// Slots are numbers that are used again; arrays by node slot grow together. What is on the heap
// is freed with its owner; texts and labels of a class or shape live in that one's arena.
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
    uint32_t first_pod; // pods counted here
    uint32_t pod_count, allowed_pods;
    uint32_t claim_count; // volume claims of those pods, each as often as it is mounted
    CacheList nominated;  // pods that wait for this node
    struct CachePort *ports;
    uint32_t port_count, port_capacity;
} CacheNode;

// When a node changed last: what it is (labels, taints, presence), and its room. By node slot, apart from the rest: the
// walk over nodes reads nothing else of most of them.
typedef struct {
    uint64_t side, room;
} CacheStamps;

typedef struct CachePort {
    HostPort port;
    uint32_t pods;
} CachePort;

// Room of all nodes, by resource: contiguous for the walk over nodes.
typedef struct {
    Symbol resource;
    int64_t *allocatable, *requested; // by node slot
} CacheColumn;

// --- what pods ask of a node by themselves

// What was found of a shape and a node, and when.
typedef struct {
    CacheStamps stamps;   // of the node when it was looked at; 0: never
    int32_t preference;   // sum of the weights of matching preferred terms
    uint16_t intolerable; // PreferNoSchedule taints
    int16_t room_score;   // of a node with room
    uint8_t side, room;   // CacheReason
} CacheVerdict;

typedef struct {
    uint32_t column;
    int64_t amount;
} CacheRequest;

typedef struct {
    uint32_t refs; // classes; 0: free
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
    uint64_t used_at; // attempt number, for giving verdicts back
} CacheShape;

// --- between pods

// A topology key with its values as numbers.
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
    uint32_t shape; // nodes that count are those that the shape's affinity allows; CACHE_NONE: all
    bool honor_affinity, honor_taints;
    uint32_t *needed_keys; // that a node must have to count
    uint32_t needed_key_count;
    uint32_t *domain_of; // by node slot, CACHE_NONE: does not count
    uint32_t domain_of_capacity;
    uint32_t *sum, *nodes; // by domain
    uint32_t domain_capacity;
    uint32_t positive; // domains with a sum
    uint32_t domains;  // with a node
    uint64_t epoch;
    uint32_t log_at;
    uint64_t version; // counts changes
    uint64_t least_version;
    uint32_t least; // smallest sum of a domain with a node
} CacheView;

typedef enum { TALLY_ALIVE, TALLY_ALL, TALLY_HOLDERS } TallyKind;
typedef enum { ROLE_AFFINITY, ROLE_ANTI_AFFINITY, ROLE_PREFERRED, ROLE_PREFERRED_ANTI } TermRole;

// Whom a term or constraint means: all of these must hold.
typedef struct {
    const LabelSelector *selector; // NULL: nobody
    SymbolVec namespaces;
    const LabelSelector *namespace_selector;
} CacheTarget;

typedef struct {
    uint32_t refs; // 0: free
    uint64_t hash;
    Slice identity;
    Arena arena;
    TallyKind kind;
    Vec(CacheTarget) targets; // pods that meet all of them are counted; of holders: those whom the term is about
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
    // A spread whose selector is empty: kube-scheduler counts no pod that is there for it, only those that it seats and
    // unseats while it tries. `before`: what the tally had when the attempt began.
    bool counts_nobody;
    uint32_t before;
} CacheRule;
typedef struct {
    CacheRule *items;
    uint32_t count, capacity;
} CacheRules;

typedef struct {
    uint32_t refs; // pods; 0: free
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
    bool ruled;           // the rules below are made
    uint64_t services_epoch;
    bool soft_is_default;
    CacheRules hard, soft;
    CacheRules affinity, anti_affinity; // the required; all of `affinity` have the one tally
    CacheRules preferred;               // weight < 0: anti-affinity
    CacheRules held;                    // the holders' tallies of own terms
    bool affinity_matches_self;
    uint32_t first_pod;
    // The last attempt that failed, and what the world was then.
    uint64_t failed_at;
    uint32_t failed_plugins;
    char *failed_message;
} CacheClass;

typedef struct {
    Symbol ns, name; // of the claim
    bool ephemeral;  // made for the pod
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
    CachePin *pins; // with their symbols in one block
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
    CacheList order; // nodes in the order they are looked at
    bool order_stale;
    uint32_t start; // where the next walk begins
    uint32_t nominated_total;
    struct {
        int32_t priority;
        uint32_t pods;
    } * priorities; // of pods on nodes, each once
    uint32_t priority_count, priority_capacity;

    uint64_t stamp;  // last one given
    uint64_t change; // counts everything that an attempt may look at
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
        uint32_t *slots; // open hashing by chains: first of the bucket
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
    CacheVerdict odd;   // of a shape whose verdicts are not remembered
    uint8_t *reasons;   // by node slot, of the last walk
    uint32_t reasons_capacity;
    CacheCounts counts;
};

enum { CACHE_EXTRAS_BYTES = 32 }; // what the identity of a shape begins with: priority and extras

typedef struct CacheIndex CacheIndex;

enum { CACHE_CPU, CACHE_MEMORY }; // columns

typedef struct {
    SchedulerCache *cache;
    uint32_t slot;
    CachePod *pod;
    CacheClass *class;
    CacheShape *shape;
    CacheList active_anti;           // holders of anti-affinity that select the class and are somewhere
    bool affinity_nowhere;           // no pod that the required affinity means
    struct CacheVolumeNeed *volumes; // in the attempt's arena
    uint32_t volume_count;
    bool waits_for_volumes;
    U32Vec rivals; // pods that use a claim of this one that is for one pod at a time; in the attempt's arena
    Slice refused; // the pod before any node was looked at: the text
    uint32_t refused_plugin;
} CacheTrial;

typedef struct CacheVolumeNeed {
    const PersistentVolume *volume; // of a bound claim; NULL: gone, or not bound
    bool is_bound;
    const StorageClass *storage_class; // of a claim that waits for its consumer
    Symbol selected_node;              // NAME_EMPTY: none yet
    Symbol driver;
    uint64_t identity; // of what would be attached
    CacheClaim claim;
} CacheVolumeNeed;

typedef struct {
    uint32_t node; // CACHE_NONE: nobody to be moved
    U32Vec victims;
    Slice message;
    bool clear_nomination;
} CachePreemption;

typedef struct {
    uint32_t nodes; // in the cluster
    uint32_t reasons[REASON_COUNT];
    uint32_t short_of[CACHE_RESOURCES], too_many_pods;
    Vec(Slice) taints; // with name_taints: one text per node
} CacheDiagnosis;
