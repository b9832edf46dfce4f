// The insides of the usher, shared by its files. Private to src/sim/scheduler.
//
// Slots are numbers that are used again; arrays by node slot grow together. What is on the heap
// is freed with its owner; texts and labels of a class or shape live in that one's arena.
#pragma once

#include "base/buffer.h"
#include "sim/scheduler/usher.h"

// --- growing arrays on the heap

// At least `count` elements of `size`, new ones zeroed.
void *usher_grow(void *items, size_t size, uint32_t count, uint32_t *capacity);
#define usher_reserve(items, count, capacity) ((items) = usher_grow((items), sizeof *(items), (count), (capacity)))

typedef struct {
    uint32_t *items;
    uint32_t count, capacity;
} UsherList;
void usher_list_add(UsherList *list, uint32_t item);
void usher_list_remove(UsherList *list, uint32_t item); // the first such, keeping the order
bool usher_list_has(const UsherList *list, uint32_t item);

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
    UsherList nominated;  // pods that wait for this node
    struct UsherPort *ports;
    uint32_t port_count, port_capacity;
} UsherNode;

// When a node changed last: what it is (labels, taints, presence), and its room. By node slot, apart from the rest: the
// walk over nodes reads nothing else of most of them.
typedef struct {
    uint64_t side, room;
} UsherStamps;

typedef struct UsherPort {
    HostPort port;
    uint32_t pods;
} UsherPort;

// Room of all nodes, by resource: contiguous for the walk over nodes.
typedef struct {
    Symbol resource;
    int64_t *allocatable, *requested; // by node slot
} UsherColumn;

// --- what pods ask of a node by themselves

// What was found of a shape and a node, and when.
typedef struct {
    UsherStamps stamps;   // of the node when it was looked at; 0: never
    int32_t preference;   // sum of the weights of matching preferred terms
    uint16_t intolerable; // PreferNoSchedule taints
    int16_t room_score;   // of a node with room
    uint8_t side, room;   // UsherReason
} UsherVerdict;

typedef struct {
    uint32_t column;
    int64_t amount;
} UsherRequest;

typedef struct {
    uint32_t refs; // classes; 0: free
    uint64_t hash;
    Slice identity;
    Arena arena;
    PodSpec spec; // deep copy
    bool has_fields;
    int32_t priority;
    Vec(UsherRequest) requests;
    int64_t cpu_milli, mem_bytes, scored_cpu_milli, scored_mem_bytes;
    UsherVerdict *verdicts; // by node slot
    uint32_t verdict_count;
    uint64_t used_at; // attempt number, for giving verdicts back
} UsherShape;

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
    UsherList unused;
    uint32_t *of_node; // USHER_NONE: no label
    uint32_t of_node_capacity;
} UsherKey;

typedef struct {
    uint32_t refs; // 0: free
    uint32_t tally, key;
    uint32_t shape; // nodes that count are those that the shape's affinity allows; USHER_NONE: all
    bool honor_affinity, honor_taints;
    uint32_t *needed_keys; // that a node must have to count
    uint32_t needed_key_count;
    uint32_t *domain_of; // by node slot, USHER_NONE: does not count
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
} UsherView;

typedef enum { TALLY_ALIVE, TALLY_ALL, TALLY_HOLDERS } TallyKind;
typedef enum { ROLE_AFFINITY, ROLE_ANTI_AFFINITY, ROLE_PREFERRED, ROLE_PREFERRED_ANTI } TermRole;

// Whom a term or constraint means: all of these must hold.
typedef struct {
    const LabelSelector *selector; // NULL: nobody
    SymbolVec namespaces;
    const LabelSelector *namespace_selector;
} UsherTarget;

typedef struct {
    uint32_t refs; // 0: free
    uint64_t hash;
    Slice identity;
    Arena arena;
    TallyKind kind;
    Vec(UsherTarget) targets; // pods that meet all of them are counted; of holders: those whom the term is about
    TermRole role;            // of holders
    int32_t weight;
    uint32_t view;
    uint32_t *on_node;
    uint32_t on_node_capacity;
    uint32_t total;
    UsherList views;
    bool asks_namespaces;
} UsherTally;

typedef struct {
    uint32_t tally, view;
    Symbol key;
    int32_t weight, max_skew, min_domains;
    bool matches_self, is_hostname;
    // A spread whose selector is empty: kube-scheduler counts no pod that is there for it, only those that it seats and
    // unseats while it tries. `before`: what the tally had when the attempt began.
    bool counts_nobody;
    uint32_t before;
} UsherRule;
typedef struct {
    UsherRule *items;
    uint32_t count, capacity;
} UsherRules;

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
    UsherList counted_in; // tallies
    UsherList aimed_by;   // tallies of holders whose terms select this class
    bool ruled;           // the rules below are made
    uint64_t services_epoch;
    bool soft_is_default;
    UsherRules hard, soft;
    UsherRules affinity, anti_affinity; // the required; all of `affinity` have the one tally
    UsherRules preferred;               // weight < 0: anti-affinity
    UsherRules held;                    // the holders' tallies of own terms
    bool affinity_matches_self;
    uint32_t first_pod;
    // The last attempt that failed, and what the world was then.
    uint64_t failed_at;
    uint32_t failed_plugins;
    char *failed_message;
} UsherClass;

typedef struct {
    Symbol ns, name; // of the claim
    bool ephemeral;  // made for the pod
} UsherClaim;

typedef struct {
    bool used;
    Symbol ns, name;
    uint32_t class_index, node; // USHER_NONE: not counted
    bool alive;                 // counted in TALLY_ALIVE too
    bool deleting, assumed, preempted, never_preempt;
    int32_t priority;
    int64_t created_ns, started_ns;
    uint32_t nominated;
    uint32_t next_on_node, previous_on_node, next_in_class, previous_in_class;
    UsherClaim *claims;
    uint32_t claim_count;
    UsherPin *pins; // with their symbols in one block
    uint32_t pin_count;
    bool missing_ephemeral;
} UsherPod;

struct Usher {
    Symbols *symbols;
    UsherSources sources;
    Random random;
    uint32_t percentage;
    bool name_taints;

    UsherNode *nodes;
    uint32_t node_count, node_capacity; // slots
    UsherList free_nodes;
    IndexMap node_names;
    Arena arena;                          // of maps
    UsherColumn columns[USHER_RESOURCES]; // the first two: USHER_CPU, USHER_MEMORY
    uint32_t column_count, column_rows;
    int64_t *scored_cpu_milli, *scored_mem_bytes; // by node
    UsherStamps *stamps;                          // by node
    struct {
        Symbol zone, region;
        UsherList nodes;
    } * zones;
    uint32_t zone_count, zone_capacity;
    UsherList order; // nodes in the order they are looked at
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
    UsherList log;   // nodes in the order of their changes
    uint64_t services_epoch;

    UsherShape *shapes;
    uint32_t shape_count, shape_capacity, shapes_live, verdicts_live;
    UsherList free_shapes;
    UsherClass *classes;
    uint32_t class_count, class_capacity, classes_live;
    UsherList free_classes;
    UsherTally *tallies;
    uint32_t tally_count, tally_capacity, tallies_live;
    UsherList free_tallies;
    UsherView *views;
    uint32_t view_count, view_capacity, views_live;
    UsherList free_views;
    struct UsherIndex {
        uint32_t *slots; // open hashing by chains: first of the bucket
        uint32_t *next;  // by item
        uint32_t buckets, next_capacity;
    } shape_index, class_index, tally_index;
    UsherKey *keys;
    uint32_t key_count, key_capacity;

    UsherPod *pods;
    uint32_t pod_capacity;

    Buffer scratch;
    Arena attempt_arena;
    UsherList feasible; // of the present attempt
    UsherVerdict odd;   // of a shape whose verdicts are not remembered
    uint8_t *reasons;   // by node slot, of the last walk
    uint32_t reasons_capacity;
    UsherCounts counts;
};

// --- identity.c: bytes that are equal when two things mean the same
void usher_write_number(Buffer *buffer, uint64_t number);
void usher_write_selector(Buffer *buffer, const LabelSelector *selector);
void usher_write_term(Buffer *buffer, const PodAffinityTerm *term);
enum { USHER_EXTRAS_BYTES = 32 }; // what the identity of a shape begins with: priority and extras
void usher_write_shape(Buffer *buffer, const PodSpec *spec, int32_t priority, const UsherExtras *extras);
LabelSelector *usher_copy_selector(Arena *arena, const LabelSelector *selector);
PodSpec usher_copy_spec(Arena *arena, const PodSpec *spec);
SymbolVec usher_copy_symbols(Arena *arena, const SymbolVec *symbols);
Labels usher_copy_labels(Arena *arena, const Labels *labels);
void usher_copy_taints(Arena *arena, const TaintVec *taints, TaintVec *ret_taints);

// --- index.c: finding by identity, with removal
typedef struct UsherIndex UsherIndex;
uint32_t usher_index_first(const UsherIndex *index, uint64_t hash);
void usher_index_add(UsherIndex *index, uint64_t hash, uint32_t item);
void usher_index_remove(UsherIndex *index, uint64_t hash, uint32_t item);
void usher_index_free(UsherIndex *index);

// --- match.c: labels against expressions, as Kubernetes' own selectors
bool usher_expression_holds(const Symbols *symbols, const Expression *expression, const Labels *labels);
bool usher_selector_selects(const Symbols *symbols, const LabelSelector *selector, const Labels *labels);
bool usher_term_holds(const Symbols *symbols, const NodeTerm *term, const UsherPin *pin, const Labels *labels,
                      Symbol node_name);
// nodeSelector and required node affinity.
bool usher_affinity_holds(const Symbols *symbols, const PodSpec *spec, const UsherPin *pins, const UsherNode *node);
// The first taint that keeps the pod away, or NULL.
const Taint *usher_taint_in_the_way(const Symbols *symbols, const TolerationVec *tolerations, const TaintVec *taints);

// --- shape.c
uint32_t usher_shape_take(Usher *usher, const Pod *pod, const UsherExtras *extras);
void usher_shape_drop(Usher *usher, uint32_t shape);
// Whether the shape is still the pod's, extras aside.
bool usher_shape_is(Usher *usher, uint32_t shape, const Pod *pod);
// The verdict of a shape on what a node is; `pins` of the pod or NULL. Valid until the next look. O(1) while the node
// does not change.
UsherVerdict *usher_shape_look(Usher *usher, uint32_t shape, const UsherPin *pins, uint32_t node);
uint32_t usher_column(Usher *usher, Symbol resource);

// --- room.c
enum { USHER_CPU, USHER_MEMORY }; // columns
// Completes a verdict by the room of the node. O(1) while nothing comes or goes there, else O(requests).
UsherReason usher_room_look(Usher *usher, const UsherShape *shape, UsherVerdict *verdict, uint32_t node);
void usher_room_stamp(Usher *usher, uint32_t node);
// The columns that the shape lacks room in.
uint64_t usher_room_lacks(const Usher *usher, const UsherShape *shape, uint32_t node);
bool usher_room_is_short_of_pods(const Usher *usher, uint32_t node);

// --- class.c
uint32_t usher_class_take(Usher *usher, const Pod *pod, const UsherExtras *extras);
void usher_class_drop(Usher *usher, uint32_t class_index);
void usher_class_make_rules(Usher *usher, uint32_t class_index);

// --- tally.c, view.c
uint32_t usher_tally_take(Usher *usher, UsherTally *wanted); // takes over wanted->arena
void usher_tally_drop(Usher *usher, uint32_t tally);
bool usher_tally_selects(Usher *usher, const UsherTally *tally, const UsherClass *class);
void usher_tallies_add_pod(Usher *usher, const UsherPod *pod, int sign);
void usher_tallies_meet_class(Usher *usher, uint32_t class_index);
uint32_t usher_key(Usher *usher, Symbol key);
uint32_t usher_view_take(Usher *usher, const UsherView *wanted); // takes over wanted->needed_keys
void usher_view_drop(Usher *usher, uint32_t view);
void usher_view_add(UsherView *view, uint32_t node, int sign, uint32_t by);
// Brings a view up to date with the nodes. Before it is read.
UsherView *usher_view_read(Usher *usher, uint32_t view);
uint32_t usher_view_least(UsherView *view);
void usher_keys_move_node(Usher *usher, uint32_t node);
void usher_node_stamp(Usher *usher, uint32_t node);

// --- roster_nodes.c
// The slot of a node of that name, made when there is none: pods may be on a node that nobody has told of yet.
uint32_t usher_node_slot(Usher *usher, Symbol name);
// Gives the slot back when nobody needs it any more.
void usher_node_leave(Usher *usher, uint32_t slot);

// --- roster_pods.c
// Counts a pod on its node, or not any more.
void usher_seat(Usher *usher, uint32_t slot, uint32_t node);
void usher_unseat(Usher *usher, uint32_t slot);
const UsherList *usher_order(Usher *usher);
// Whether any pod on a node is less important than that. O(different priorities).
bool usher_has_below(const Usher *usher, int32_t priority);

// --- filter.c
typedef struct {
    Usher *usher;
    uint32_t slot;
    UsherPod *pod;
    UsherClass *class;
    UsherShape *shape;
    UsherList active_anti;           // holders of anti-affinity that select the class and are somewhere
    bool affinity_nowhere;           // no pod that the required affinity means
    struct UsherVolumeNeed *volumes; // in the attempt's arena
    uint32_t volume_count;
    bool waits_for_volumes;
    U32Vec rivals; // pods that use a claim of this one that is for one pod at a time; in the attempt's arena
    Slice refused; // the pod before any node was looked at: the text
    uint32_t refused_plugin;
} UsherTrial;
void usher_trial_begin(UsherTrial *trial, Usher *usher, uint32_t slot);
void usher_trial_refresh(UsherTrial *trial); // after pods were taken away or added
void usher_trial_end(UsherTrial *trial);
// All filters, with what waits for the node in place.
UsherReason usher_filter(UsherTrial *trial, uint32_t node);
bool usher_reason_is_final(UsherReason reason);

// --- volume.c
typedef struct UsherVolumeNeed {
    const PersistentVolume *volume; // of a bound claim; NULL: gone, or not bound
    bool is_bound;
    const StorageClass *storage_class; // of a claim that waits for its consumer
    Symbol selected_node;              // NAME_EMPTY: none yet
    Symbol driver;
    uint64_t identity; // of what would be attached
    UsherClaim claim;
} UsherVolumeNeed;
void usher_volumes_begin(UsherTrial *trial);
UsherReason usher_volumes_filter(UsherTrial *trial, uint32_t node);
UsherReason usher_volume_limits_filter(UsherTrial *trial, uint32_t node);
UsherReason usher_volume_rivals_filter(const UsherTrial *trial);

// --- score.c
uint32_t usher_pick(UsherTrial *trial, const UsherList *feasible);

// --- preempt.c
typedef struct {
    uint32_t node; // USHER_NONE: nobody to be moved
    U32Vec victims;
    Slice message;
    bool clear_nomination;
} UsherPreemption;
UsherPreemption usher_preempt(UsherTrial *trial);

// --- diagnosis.c
typedef struct {
    uint32_t nodes; // in the cluster
    uint32_t reasons[REASON_COUNT];
    uint32_t short_of[USHER_RESOURCES], too_many_pods;
    Vec(Slice) taints; // with name_taints: one text per node
} UsherDiagnosis;
// To be called while the cluster is as it was when the node was refused.
void usher_diagnosis_add(UsherDiagnosis *diagnosis, const UsherTrial *trial, uint32_t node, UsherReason reason);
// "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) …."
Slice usher_diagnosis_print(Arena *arena, Usher *usher, const UsherDiagnosis *diagnosis);
