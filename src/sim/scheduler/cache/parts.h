// The insides of the cache, shared by its files. Private to src/sim/scheduler.
//
// Slots are numbers that are used again; arrays by node slot grow together. What is on the heap
// is freed with its owner; texts and labels of a class or shape live in that one's arena.
#pragma once

#include "base/alloc.h"
#include "base/buffer.h"
#include "sim/scheduler/cache/cache.h"

// --- growing lists on the heap

typedef struct {
    uint32_t *items;
    uint32_t count, capacity;
} CacheList;
void cache_list_add(CacheList *list, uint32_t item);
void cache_list_remove(CacheList *list, uint32_t item); // the first such, keeping the order
bool cache_list_has(const CacheList *list, uint32_t item);

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

// --- scheduler/cache/identity.c: bytes that are equal when two things mean the same
void cache_write_number(Buffer *buffer, uint64_t number);
void cache_write_selector(Buffer *buffer, const LabelSelector *selector);
void cache_write_term(Buffer *buffer, const PodAffinityTerm *term);
enum { CACHE_EXTRAS_BYTES = 32 }; // what the identity of a shape begins with: priority and extras
void cache_write_shape(Buffer *buffer, const PodSpec *spec, int32_t priority, const CacheExtras *extras);
LabelSelector *cache_copy_selector(Arena *arena, const LabelSelector *selector);
PodSpec cache_copy_spec(Arena *arena, const PodSpec *spec);
SymbolVec cache_copy_symbols(Arena *arena, const SymbolVec *symbols);
Labels cache_copy_labels(Arena *arena, const Labels *labels);
void cache_copy_taints(Arena *arena, const TaintVec *taints, TaintVec *ret_taints);

// --- scheduler/cache/index.c: finding by identity, with removal
typedef struct CacheIndex CacheIndex;
uint32_t cache_index_first(const CacheIndex *index, uint64_t hash);
void cache_index_add(CacheIndex *index, uint64_t hash, uint32_t item);
void cache_index_remove(CacheIndex *index, uint64_t hash, uint32_t item);
void cache_index_free(CacheIndex *index);

// --- scheduler/cache/match.c: labels against expressions, as Kubernetes' own selectors
bool cache_expression_holds(const Symbols *symbols, const Expression *expression, const Labels *labels);
bool cache_selector_selects(const Symbols *symbols, const LabelSelector *selector, const Labels *labels);
bool cache_term_holds(const Symbols *symbols, const NodeTerm *term, const CachePin *pin, const Labels *labels,
                      Symbol node_name);
// nodeSelector and required node affinity.
bool cache_affinity_holds(const Symbols *symbols, const PodSpec *spec, const CachePin *pins, const CacheNode *node);
// The first taint that keeps the pod away, or NULL.
const Taint *cache_taint_in_the_way(const Symbols *symbols, const TolerationVec *tolerations, const TaintVec *taints);

// --- scheduler/cache/shape.c
uint32_t cache_shape_take(SchedulerCache *cache, const Pod *pod, const CacheExtras *extras);
void cache_shape_drop(SchedulerCache *cache, uint32_t shape);
// Whether the shape is still the pod's, extras aside.
bool cache_shape_is(SchedulerCache *cache, uint32_t shape, const Pod *pod);
// The verdict of a shape on what a node is; `pins` of the pod or NULL. Valid until the next look. O(1) while the node
// does not change.
CacheVerdict *cache_shape_look(SchedulerCache *cache, uint32_t shape, const CachePin *pins, uint32_t node);
uint32_t cache_column(SchedulerCache *cache, Symbol resource);

// --- scheduler/cache/room.c
enum { CACHE_CPU, CACHE_MEMORY }; // columns
// Completes a verdict by the room of the node. O(1) while nothing comes or goes there, else O(requests).
CacheReason cache_room_look(SchedulerCache *cache, const CacheShape *shape, CacheVerdict *verdict, uint32_t node);
void cache_room_stamp(SchedulerCache *cache, uint32_t node);
// The columns that the shape lacks room in.
uint64_t cache_room_lacks(const SchedulerCache *cache, const CacheShape *shape, uint32_t node);
bool cache_room_is_short_of_pods(const SchedulerCache *cache, uint32_t node);

// --- scheduler/cache/class.c
uint32_t cache_class_take(SchedulerCache *cache, const Pod *pod, const CacheExtras *extras);
void cache_class_drop(SchedulerCache *cache, uint32_t class_index);
void cache_class_make_rules(SchedulerCache *cache, uint32_t class_index);

// --- scheduler/cache/tally.c, scheduler/cache/view.c
uint32_t cache_tally_take(SchedulerCache *cache, CacheTally *wanted); // takes over wanted->arena
void cache_tally_drop(SchedulerCache *cache, uint32_t tally);
bool cache_tally_selects(SchedulerCache *cache, const CacheTally *tally, const CacheClass *class);
void cache_tallies_add_pod(SchedulerCache *cache, const CachePod *pod, int sign);
void cache_tallies_meet_class(SchedulerCache *cache, uint32_t class_index);
uint32_t cache_key(SchedulerCache *cache, Symbol key);
uint32_t cache_view_take(SchedulerCache *cache, const CacheView *wanted); // takes over wanted->needed_keys
void cache_view_drop(SchedulerCache *cache, uint32_t view);
void cache_view_add(CacheView *view, uint32_t node, int sign, uint32_t by);
// Brings a view up to date with the nodes. Before it is read.
CacheView *cache_view_read(SchedulerCache *cache, uint32_t view);
uint32_t cache_view_least(CacheView *view);
void cache_keys_move_node(SchedulerCache *cache, uint32_t node);
void cache_node_stamp(SchedulerCache *cache, uint32_t node);

// --- scheduler/cache/nodes.c
// The slot of a node of that name, made when there is none: pods may be on a node that nobody has told of yet.
uint32_t cache_node_slot(SchedulerCache *cache, Symbol name);
// Gives the slot back when nobody needs it any more.
void cache_node_leave(SchedulerCache *cache, uint32_t slot);

// --- scheduler/cache/pods.c
// Counts a pod on its node, or not any more.
void cache_seat(SchedulerCache *cache, uint32_t slot, uint32_t node);
void cache_unseat(SchedulerCache *cache, uint32_t slot);
const CacheList *cache_order(SchedulerCache *cache);
// Whether any pod on a node is less important than that. O(different priorities).
bool cache_has_below(const SchedulerCache *cache, int32_t priority);

// --- scheduler/cache/filter.c
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
void cache_trial_begin(CacheTrial *trial, SchedulerCache *cache, uint32_t slot);
void cache_trial_refresh(CacheTrial *trial); // after pods were taken away or added
void cache_trial_end(CacheTrial *trial);
// All filters, with what waits for the node in place.
CacheReason cache_filter(CacheTrial *trial, uint32_t node);
bool cache_reason_is_final(CacheReason reason);

// --- scheduler/cache/volume.c
typedef struct CacheVolumeNeed {
    const PersistentVolume *volume; // of a bound claim; NULL: gone, or not bound
    bool is_bound;
    const StorageClass *storage_class; // of a claim that waits for its consumer
    Symbol selected_node;              // NAME_EMPTY: none yet
    Symbol driver;
    uint64_t identity; // of what would be attached
    CacheClaim claim;
} CacheVolumeNeed;
void cache_volumes_begin(CacheTrial *trial);
CacheReason cache_volumes_filter(CacheTrial *trial, uint32_t node);
CacheReason cache_volume_limits_filter(CacheTrial *trial, uint32_t node);
CacheReason cache_volume_rivals_filter(const CacheTrial *trial);

// --- scheduler/cache/score.c
uint32_t cache_pick(CacheTrial *trial, const CacheList *feasible);

// --- scheduler/cache/preempt.c
typedef struct {
    uint32_t node; // CACHE_NONE: nobody to be moved
    U32Vec victims;
    Slice message;
    bool clear_nomination;
} CachePreemption;
CachePreemption cache_preempt(CacheTrial *trial);

// --- scheduler/cache/diagnosis.c
typedef struct {
    uint32_t nodes; // in the cluster
    uint32_t reasons[REASON_COUNT];
    uint32_t short_of[CACHE_RESOURCES], too_many_pods;
    Vec(Slice) taints; // with name_taints: one text per node
} CacheDiagnosis;
// To be called while the cluster is as it was when the node was refused.
void cache_diagnosis_add(CacheDiagnosis *diagnosis, const CacheTrial *trial, uint32_t node, CacheReason reason);
// "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) …."
Slice cache_diagnosis_print(Arena *arena, SchedulerCache *cache, const CacheDiagnosis *diagnosis);
