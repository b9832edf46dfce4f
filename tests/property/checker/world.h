// World: the checker's model of a cluster, a catalogue and a plan: small structs that share nothing with src/model.
//
// Read from Value trees by read_*.c. Everything is in the World's arena. Names are symbols of the World.
#pragma once

#include "checker/states.h"
#include "text/value.h"

// Resources get a column each; the first five are fixed.
enum { RESOURCE_CPU, RESOURCE_MEMORY, RESOURCE_PODS, RESOURCE_STORAGE, RESOURCE_NODES, RESOURCE_MAX = 32 };

typedef struct {
    int64_t of[RESOURCE_MAX]; // milli-CPU, bytes, or units
    uint32_t present;         // bit set of the resources that were given
} Amounts;

typedef struct {
    Symbol key, value;
} Label;
typedef Vec(Label) LabelVec;

typedef struct {
    Symbol key;
    Operator op;
    LabelStates states; // the states that it accepts
    int64_t min_values; // of a NodePool's requirement, 0: none
} Expression;
typedef Vec(Expression) ExpressionVec;

// matchLabels and matchExpressions as one list; a nil selector matches nothing, an empty one everything.
typedef struct {
    bool is_nil;
    ExpressionVec expressions;
} Selector;

typedef struct {
    ExpressionVec expressions;
    bool has_fields;
} NodeTerm;
typedef Vec(NodeTerm) NodeTermVec;

typedef enum { EFFECT_NO_SCHEDULE, EFFECT_PREFER_NO_SCHEDULE, EFFECT_NO_EXECUTE, EFFECT_ANY } Effect;

typedef struct {
    Symbol key, value;
    Effect effect;
} Taint;
typedef Vec(Taint) TaintVec;

typedef struct {
    Symbol key; // SYMBOL_EMPTY: every key
    Symbol op;  // "Equal", "Exists", "Lt", "Gt"
    Symbol value;
    Effect effect;
} Toleration;
typedef Vec(Toleration) TolerationVec;

typedef struct {
    Symbol ip, protocol; // "0.0.0.0", "TCP" when not given
    int64_t port;
} HostPort;
typedef Vec(HostPort) HostPortVec;

typedef struct {
    Symbol key;
    Selector selector; // with matchLabelKeys and mismatchLabelKeys
    bool every_namespace;
    U32Vec namespaces;
} AffinityTerm;
typedef Vec(AffinityTerm) AffinityTermVec;

// A topology spread constraint with whenUnsatisfiable DoNotSchedule.
typedef struct {
    Symbol key;
    int64_t max_skew, min_domains; // min_domains 0: not set
    bool honor_affinity, honor_taints;
    Selector selector;
    Symbol identity; // equal for constraints that are equal to kube-scheduler
} Spread;
typedef Vec(Spread) SpreadVec;

// Pods with equal namespace, labels and spec.
typedef struct {
    Symbol ns;
    LabelVec labels;
    Amounts requests;
    LabelVec node_selector;
    bool has_terms;
    NodeTermVec terms;
    TolerationVec tolerations;
    HostPortVec ports;
    SpreadVec spreads;
    AffinityTermVec affinity, anti_affinity; // the required ones
    bool has_preferences;                    // of any kind
    bool has_resource_claims, is_gated;
} PodClass;
typedef Vec(PodClass) PodClassVec;

// Whether the planner must leave a pod out (scheduling.md 4.1). MAYBE: the references do not say.
typedef enum { IGNORED_NO, IGNORED_MAYBE, IGNORED_YES } Ignored;

// A claim that a pod mounts: nodes that can attach it, and its driver's limit.
typedef struct {
    Symbol claim;      // "ns/name"
    Symbol driver;     // CSI driver, SYMBOL_EMPTY: none
    NodeTermVec terms; // OR-ed; none: everywhere
} PodVolume;
typedef Vec(PodVolume) PodVolumeVec;

typedef struct {
    Symbol name; // "ns/name"
    uint32_t class_index;
    Symbol node;       // SYMBOL_EMPTY: not bound
    Symbol daemon_set; // "ns/name" of its DaemonSet
    bool is_pending, is_terminal, is_deleting, is_mirror, is_stateful, is_ready, do_not_disrupt;
    bool has_foreign_state; // nominated elsewhere, or a PodScheduled reason that is not Unschedulable
    bool is_moved;          // bound to a deleting node and planned again
    Ignored ignored;
    PodVolumeVec volumes;
} Pod;
typedef Vec(Pod) PodVec;

typedef struct {
    Symbol driver;
    int64_t count; // INT64_MAX: no limit
} VolumeLimit;
typedef Vec(VolumeLimit) VolumeLimitVec;

typedef struct {
    Symbol name;
    LabelVec labels;
    StateTable states; // of the labels
    TaintVec taints;   // those that count
    Amounts capacity, allocatable;
    Symbol pool; // label karpenter.sh/nodepool, SYMBOL_EMPTY: none
    bool is_deleting;
    bool is_unlaunched; // a NodeClaim without a provider id: nothing is known of its node
    VolumeLimitVec volume_limits;
    U32Vec pods; // bound, not terminal, indexes into World.pods
} Node;
typedef Vec(Node) NodeVec;

typedef struct {
    Symbol name;
    int64_t weight;
    bool is_static, is_ready;
    StateTable states;          // requirements and template labels
    ExpressionVec requirements; // as written, for minValues
    StateTable labels;          // template labels, nodepool and node class only
    TaintVec taints;
    Amounts limits;  // only the present ones count
    U32Vec left_out; // names of the DaemonSets that fit on none of its types
} Pool;
typedef Vec(Pool) PoolVec;

typedef struct {
    StateTable states; // the type's, narrowed to this offering
    Symbol zone, capacity_type, reservation;
    double price_per_hour;
    bool is_available;
    int64_t reservation_capacity; // -1: not a reservation
    Amounts capacity, allocatable;
} Offering;
typedef Vec(Offering) OfferingVec;

typedef struct {
    Symbol name;
    StateTable states;
    OfferingVec offerings;
    VolumeLimitVec volume_limits;
} Type;
typedef Vec(Type) TypeVec;

typedef struct {
    Symbol name;
    uint32_t class_index;
    int64_t priority;
} DaemonSet;
typedef Vec(DaemonSet) DaemonSetVec;

typedef struct {
    Symbol ns;
    Selector selector;
    bool blocks_fully, always_allows_unready;
} DisruptionBudget;
typedef Vec(DisruptionBudget) DisruptionBudgetVec;

typedef struct {
    Symbol name;
    LabelVec labels;
} Namespace;
typedef Vec(Namespace) NamespaceVec;

// What the plan says.
typedef struct {
    Symbol name, pool_name;
    const Pool *pool; // NULL: unknown
    U32Vec type_names;
    Vec(const Type *) types; // those known
    ExpressionVec requirements;
    StateTable states; // requirements narrowed by the labels of the pool
    Amounts requests;
    bool has_choice;
    Symbol identity; // equal for claims that are launched alike: pool, types, requirements
    Symbol choice_type, choice_zone, choice_capacity_type;
    double choice_price;
    U32Vec pods; // indexes into World.pods
} Claim;
typedef Vec(Claim) ClaimVec;

typedef struct {
    Symbol name;
    const Node *node; // NULL: unknown
    U32Vec pods;
} NodePlan;
typedef Vec(NodePlan) NodePlanVec;

typedef struct {
    Symbol kind, pod;
    Slice text;
} Finding;
typedef Vec(Finding) FindingVec;

typedef struct {
    Arena *arena;
    Symbols symbols;
    bool ignore_preferences, best_effort_min_values;

    U32Vec resources; // names by column
    Vec(const Value *) runtime_classes;
    PodClassVec classes;
    IndexMap class_index;                       // by hash of namespace, labels and spec
    IndexMap pod_index, type_index, node_index; // by the symbol of the name
    U32Vec class_texts;                         // symbol of what class_index hashes
    PodVec pods;
    NodeVec nodes;
    PoolVec pools;
    TypeVec types;
    DaemonSetVec daemon_sets; // in the order in which they get room: by priority, then by name
    DisruptionBudgetVec budgets;
    NamespaceVec namespaces;
    bool has_overrides; // some offering has other room than its type
    U32Vec type_keys;   // label keys that the catalogue defines: a type without one lacks the label

    ClaimVec claims;
    NodePlanVec node_plans;
    U32Vec unschedulable; // indexes into World.pods
    double price_per_hour;

    FindingVec findings;
} World;

// A violation; `pod` is SYMBOL_EMPTY when it is about no pod, or the name of the claim or node.
__attribute__((format(printf, 4, 5))) void judge_report(World *world, const char *kind, Symbol pod, const char *format,
                                                        ...);

static inline Slice judge_text(const World *world, Symbol symbol) {
    return symbol_text(&world->symbols, symbol);
}
static inline Symbol judge_symbol(World *world, const char *text) {
    return symbol_intern(&world->symbols, slice_of(text));
}
static inline const PodClass *judge_class(const World *world, const Pod *pod) {
    return &world->classes.items[pod->class_index];
}
// Index into World.pods or INDEX_NONE.
uint32_t judge_find_pod(const World *world, Symbol name);
const Type *judge_find_type(const World *world, Symbol name);
const Pool *judge_find_pool(const World *world, Symbol name);
Node *judge_find_node(const World *world, Symbol name);

Symbol judge_label_get(const LabelVec *labels, Symbol key); // INDEX_NONE: absent
bool judge_selector_matches(const World *world, const Selector *selector, const LabelVec *labels);

bool judge_symbols_contain(const U32Vec *symbols, Symbol symbol);

static inline bool amounts_has(const Amounts *amounts, uint32_t resource) {
    return amounts->present >> resource & 1;
}
void judge_amounts_add(Amounts *to, const Amounts *amounts);
void judge_amounts_subtract(Amounts *from, const Amounts *amounts);
void judge_amounts_raise(Amounts *to, const Amounts *amounts); // element-wise maximum
