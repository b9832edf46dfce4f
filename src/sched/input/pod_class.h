// Pod classes: pods that are equal in everything that a plan depends on, placed together.
//
// A class has a list of variants: the pod with all its preferences, then with one preference less at each step, in
// Karpenter's order (scheduling.md 5.8), down to only what is required. A pod takes the first variant that finds a
// place. Where preferences are weighed, the first variant keeps all of them, the second none, and others are made on
// demand (class_variant_keeping).
#pragma once

#include "sched/budget.h"
#include "sched/index/topology.h"
#include "sched/index/type_table.h"
#include "sched/input/pending.h"
#include "sched/input/port_set.h"
#include "sched/input/preferred_rules.h"
#include "sched/input/volumes.h"
#include "sched/plan.h"

// The rules of a variant on one topology key other than the host name.
typedef struct {
    uint32_t key;
    U32Vec checks; // groups that may forbid domains
    bool pin;      // a group counts this class on the key, or needs one domain: the bin is pinned to one value
} KeyRule;
typedef Vec(KeyRule) KeyRuleVec;

typedef struct {
    LabelSetId labels;    // node selector, required term and preferred term of this variant
    uint32_t term;        // required node affinity term of this variant; INDEX_NONE: the pod has none
    uint32_t preferred;   // preferred node affinity term of this variant; INDEX_NONE: none
    uint32_t tolerations; // into ClassTable.tolerations
    uint32_t kept;        // preferred rules that this variant keeps: bits of PodClass.preferred
    bool has_rules;       // the next three are filled, which class_variant() does
    U32Vec groups;        // forward groups that bind this variant
    KeyRuleVec keys;
    U32Vec bin_checks; // hostname groups, forward and inverse
    // State of the search: bins below `first_bin` can never take this variant.
    uint32_t first_bin;
    bool failed;           // no place was found, ...
    uint64_t failed_stamp; // ... when the search had this stamp (place/place.c)
} Variant;
typedef Vec(Variant) VariantVec;
typedef struct VariantMaker VariantMaker;

// The price of a preferred rule: the price with it minus the price without it, $ per hour and pod. NAN: not measured;
// INFINITY: no placement keeps the rule.
typedef struct {
    double add;  // measured by adding the rule to pods without it
    double drop; // measured by dropping it from pods that keep it
} RulePrice;

typedef struct {
    uint32_t first, count; // pods: ClassTable.pods[first .. first+count)
    uint32_t placed;       // pods that have a place
    const Pod *pod;        // one of the pods
    int64_t *requests;     // per dimension, with the attachments of private volumes
    Resources request_list;
    bool moved;              // PendingPod.moved
    const PortSet *ports;    // host ports, NULL: none
    SymbolVec shared_claims; // volume claims that other pods use too ("ns/name"), parallel to their drivers
    SymbolVec shared_drivers;
    Vec(LabelSetId) volume_alternatives; // OR-ed; none: the volumes constrain nothing
    RequirementsVec volume_requirements; // the same as requirements, for messages
    uint32_t label_class;
    U32Vec counted; // forward groups that count the pod
    U32Vec wanted;  // those of them that are affinity rules
    U32Vec inverse; // inverse groups that the pod owns
    U32Vec avoided; // inverse groups that select the pod
    VariantVec
        variants; // class_variant() gives one with its rules; the groups of the first include those of all others
    VariantMaker *maker;
    uint32_t relaxations;       // number of variants in Karpenter's order; those after them are tenon's
    PreferredRuleVec preferred; // only with PREFERENCES_WEIGH
    bool weighed;               // each variant keeps a set of `preferred`
    RulePrice *prices;          // per bit of `preferred`; NULL: not measured
    double rate;                // price of a pod that preferred rules are compared with, $ per hour (bin/pod_rate.h)
    double used;                // share of the solve's deadline that placing it has taken
    bool aside;                 // it took too much of the deadline, and is not placed any further
} PodClass;
typedef Vec(PodClass) PodClassVec;

// Pods that no selector tells apart: their namespace, and the labels that selectors look at.
typedef struct {
    Symbol ns;
    Labels labels;
} LabelClass;
typedef Vec(LabelClass) LabelClassVec;

typedef struct {
    Arena *arena;
    Budget *budget; // of the solve; NULL: unlimited
    const PlanInput *input;
    Universe *universe;
    Topology *topology;
    Dimensions dimensions;
    PodClassVec classes;
    uint32_t *pods;          // indexes into input->pending, grouped by class, then in the order of pods (pod_order.h)
    PodVolumes *volumes;     // per pending pod; NULL: none has volumes
    IndexMap counted_keys;   // topology keys of the rules
    IndexMap unread;         // pod_spec_id of bound pods whose rules are not read: their namespace names too much
    SymbolVec selector_keys; // label keys that some selector looks at, sorted
    LabelClassVec label_classes; // those of pending pods first, then those of others
    uint32_t pending_label_classes;
    IndexMap label_index;
    uint64_t rules_tested; // how often a rule was compared with a label class
    U32Vec *counted_by;    // per label class: forward groups that count it
    Vec(TolerationVec) tolerations;
    IndexMap toleration_index;
    bool has_ports;                     // some pod asks for a host port
    bool has_volumes;                   // some pending pod has volumes of claims
    Vec(const PodSpec *) specs;         // of the pending pods that are not ignored, each once
    const PodSpec **daemon_specs;       // per DaemonSet of the cluster: node selection and host ports
    const Resources **daemon_requests;  // per DaemonSet of the cluster
    IndexMap daemon_index;              // of the DaemonSets by namespace and name (class_table_daemon_of)
    uint32_t *daemon_order;             // DaemonSets in the order in which they get room: by priority, then by name
    TopologySpreadVec *default_spreads; // per pending pod without spreads; NULL: there are none
    bool has_rules;                     // some pod has spread, affinity or anti-affinity
    bool prefer_no_schedule;            // some pool or node has a PreferNoSchedule taint
} ClassTable;

// Charges the solve's budget; false: it is used up.
static inline bool class_table_spend(const ClassTable *table, uint64_t steps) {
    return !table->budget || budget_spend(table->budget, steps);
}

// Pods with equal numbers are of one namespace and share their spec.
static inline uint64_t pod_spec_id(const Pod *pod) {
    return hash_combine(hash_u64((uintptr_t)pod->spec), pod->ns);
}

// Whether rules about pods can be counted by this topology key: the host name, or a key that was mentioned for that.
static inline bool class_table_counts_key(const ClassTable *table, Symbol topology_key) {
    return topology_key == NAME_HOSTNAME || u64_map_get(&table->counted_keys, topology_key) != INDEX_NONE;
}

// A hash of the controller that made the pod: of its uid or, without uid (manifests), of namespace, kind and name.
// 0: the pod has no controller. O(owners).
uint64_t pod_workload(const Pod *pod);

// Groups the pending pods into classes and mentions their constraints to the universe. After the universe is frozen,
// class_table_finish (input/class_variants.h) makes the variants.
void class_table_collect(ClassTable *table, Arena *arena, const PlanInput *input, Universe *universe,
                         Topology *topology);

// The DaemonSet of the cluster that made the pod, by its index; INDEX_NONE: there is none. O(owners).
uint32_t class_table_daemon_of(const ClassTable *table, const Pod *pod);

// The spreads of a pending pod, by its index into input->pending: its own, or the default ones.
const TopologySpreadVec *class_table_spreads(const ClassTable *table, uint32_t pod);

// The label class of a pod, made when new.
uint32_t label_class_of(ClassTable *table, Symbol ns, const Labels *labels);
