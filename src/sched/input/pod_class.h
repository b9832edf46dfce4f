// Pods that are alike in everything a plan depends on are one class, placed together.
//
// A class has a launch_order of variants: the pod as it is with all its preferences, then with one preference less at
// each step, in Karpenter's order (scheduling.md 5.8), down to only what is required. A pod takes the first variant
// that finds a place.
#pragma once

#include "sched/budget.h"
#include "sched/index/topology.h"
#include "sched/index/type_table.h"
#include "sched/input/pending.h"
#include "sched/input/port_set.h"
#include "sched/input/volumes.h"
#include "sched/plan.h"

// What must hold on one ordinary topology key.
typedef struct {
    uint32_t key;
    U32Vec checks; // groups that may forbid domains
    bool pin;      // a group counts this class on the key, or wants one domain: the bin must settle for one
} KeyRule;
typedef Vec(KeyRule) KeyRuleVec;

typedef struct {
    LabelSetId labels;    // node selector, one required term, the preferred term in force
    uint32_t term;        // required node term in force, INDEX_NONE: the pod has none
    uint32_t preferred;   // preferred node term in force, INDEX_NONE: none
    uint32_t tolerations; // into ClassTable.tolerations
    bool has_rules;       // the next three are filled: class_variant() sees to it
    U32Vec groups;        // forward groups that bind this variant
    KeyRuleVec keys;
    U32Vec bin_checks; // hostname groups, forward and inverse
    // Where the search stands: bins below `first_bin` are closed to it for good.
    uint32_t first_bin;
    bool failed;           // found no place at ...
    uint64_t failed_stamp; // ... this stamp (plan.c)
} Variant;
typedef Vec(Variant) VariantVec;
typedef struct VariantMaker VariantMaker;

typedef struct {
    uint32_t first, count; // pods: ClassTable.pods[first .. first+count)
    uint32_t placed;       // of them
    const Pod *pod;        // one of them
    int64_t *requests;     // per dimension, private volumes included
    Resources request_list;
    const PortSet *ports;    // host ports, NULL: none
    SymbolVec shared_claims; // claims that other pods use too ("ns/name"), with their drivers
    SymbolVec shared_drivers;
    Vec(LabelSetId) volume_alternatives; // none: the volumes constrain nothing
    RequirementsVec volume_requirements; // the same, readable
    uint32_t label_class;
    U32Vec counted; // forward groups that count the pod
    U32Vec inverse; // inverse groups that the pod owns
    U32Vec avoided; // inverse groups that select the pod
    VariantVec
        variants; // ask class_variant() for the rules of one; the groups of the first are those of all others, too
    VariantMaker *maker;
    uint32_t relaxations; // variants that Karpenter's order gives; later ones are tenon's
    double used;          // of the solve's deadline, by placing it
    bool aside;           // that was too much: it is not placed any more
} PodClass;
typedef Vec(PodClass) PodClassVec;

// Pods alike to every selector: namespace and the labels that selectors look at.
typedef struct {
    Symbol ns;
    Labels labels;
} LabelClass;
typedef Vec(LabelClass) LabelClassVec;

typedef struct {
    Arena *arena;
    Budget *budget; // of the solve; NULL: none
    const PlanInput *input;
    Universe *universe;
    Topology *topology;
    Dimensions dimensions;
    PodClassVec classes;
    uint32_t *pods;          // indexes into input->pending, grouped by class, in order of creation and name
    PodVolumes *volumes;     // per pending pod
    SymbolVec selector_keys; // label keys that some selector looks at, sorted
    LabelClassVec label_classes;
    IndexMap label_index;
    U32Vec *counted_by, *avoided_by; // per label class: forward groups that count it, inverse groups that select it
    Vec(TolerationVec) tolerations;
    IndexMap toleration_index;
    bool has_ports;                    // some pod asks for a host port
    const PodSpec **daemon_specs;      // per daemon set of the cluster: where it runs, and its ports
    const Resources **daemon_requests; // per daemon set of the cluster
    const TopologySpreadVec *spreads;  // per pending pod: its own or the default ones
    bool has_rules;                    // somebody asks where other pods are: spread, affinity, anti-affinity
    bool prefer_no_schedule;           // some pool has such a taint
} ClassTable;

// Charges the solve's budget; false: it is over.
static inline bool class_table_spend(const ClassTable *table, uint64_t steps) {
    return !table->budget || budget_spend(table->budget, steps);
}

// The controller that made the pod, as a number: by its uid, or where a manifest has none by namespace, kind and name.
// 0: the pod has no controller. O(owners).
uint64_t pod_workload(const Pod *pod);

// Groups the pending pods and mentions their constraints. Then the universe is frozen, and class_table_finish
// (input/class_variants.h) makes the rest.
void class_table_collect(ClassTable *table, Arena *arena, const PlanInput *input, Universe *universe,
                         Topology *topology);

// The label class of a pod, made when new.
uint32_t label_class_of(ClassTable *table, Symbol ns, const Labels *labels);
