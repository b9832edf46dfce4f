// The exact yardstick: the cheapest of all plans for a small input, by an integer program.
//
// It shares no code with the planner. It uses the checker's reader and rules, and the checker verifies the plan that it
// finds, so the plan is valid; README.md proves that no valid plan is cheaper. Most pods come first, then the price per
// hour. Preferences do not count.
#pragma once

#include "checker/check_plan.h"

// The set of plans that is searched.
typedef enum {
    // All that the checker accepts: whatever kube-scheduler could carry out. No valid plan is cheaper than this
    // optimum.
    EXACT_ALL_VALID,
    // Those of them that keep the planner's promises, as long as no pod stays unplaced for it: spreads are level over
    // all domains that pools could open, not only over those of existing nodes; room and ports for each daemon that may
    // come to a type, and no more volumes than the type says where the node's CSINode does not tell yet; heavier pools,
    // and places without a PreferNoSchedule taint, are passed by only where limits or
    // rules of the pod can have blocked them (excuses.c); no limit is used up in vain (waste.c).
    EXACT_PROMISED,
    // The same, but spreads are level over the domains that have nodes: where EXACT_PROMISED leaves out more pods.
    EXACT_SETTLED,
} ExactPlans;

typedef struct {
    const DocumentVec *manifests;
    const Value *catalog;
    CheckOptions options;
    ExactPlans plans;
    // A known plan: its pods show which of those that validation may leave out count.
    const Value *known;
    uint32_t known_placed; // pods that it places
    double price_cap;      // more expensive plans need not be found if the known plan places all pods; INFINITY: no cap
    uint32_t unplaced_most; // plans with more unplaced pods are not searched
    double seconds;         // time limit of each integer program, and, roughly, of all for one number of unplaced pods
} ExactQuestion;

typedef enum {
    EXACT_OPTIMUM,
    EXACT_NOTHING,     // no plan that places all pods costs `price_cap` or less
    EXACT_LEAVES_MORE, // every such plan leaves out more than `unplaced_most` pods
    EXACT_NOT_PROVED,  // too large, or out of time
} ExactStatus;

// Kinds of constraints that an input has, for statistics.
#define EXACT_KINDS(X)                                                                                                 \
    X(ZONE_SPREAD, "spread over zones")                                                                                \
    X(OTHER_SPREAD, "spread over capacity types, racks")                                                               \
    X(HOST_SPREAD, "spread over hosts")                                                                                \
    X(HOST_ANTI_AFFINITY, "anti-affinity on hosts")                                                                    \
    X(OTHER_ANTI_AFFINITY, "anti-affinity on other keys")                                                              \
    X(HOST_AFFINITY, "affinity on hosts")                                                                              \
    X(OTHER_AFFINITY, "affinity on other keys")                                                                        \
    X(OR_TERMS, "OR terms")                                                                                            \
    X(MIN_VALUES, "minValues")                                                                                         \
    X(LIMITS, "limits")                                                                                                \
    X(WEIGHTS, "weights")                                                                                              \
    X(RESERVATIONS, "reservations")                                                                                    \
    X(NODES, "existing nodes")                                                                                         \
    X(VOLUMES, "volumes")                                                                                              \
    X(PORTS, "host ports")                                                                                             \
    X(OVERRIDES, "offerings of a type that differ in room")                                                            \
    X(SOFT_TAINTS, "PreferNoSchedule")                                                                                 \
    X(HEAVIER_LIMITED, "a heavier pool with limits")
typedef enum {
#define X(name, text) EXACT_##name,
    EXACT_KINDS(X)
#undef X
        EXACT_KIND_COUNT
} ExactKind;
const char *exact_kind_text(ExactKind kind);

typedef struct {
    ExactStatus status;
    uint32_t pods;     // pods that should be placed
    uint32_t unplaced; // of these
    uint32_t kinds;    // 1 << ExactKind
    double price_per_hour;
    Slice plan;       // JSON in the shape of `tenon plan -o json`
    bool has_spreads; // over another key than the hostname: the two kinds of plans differ
    bool has_soft_taints;
    uint32_t refused;    // plans that the integer program found and the checker refused
    Slice refused_for;   // the violation of the last one
    uint32_t columns;    // of the integer program
    const char *because; // of EXACT_NOT_PROVED
} ExactAnswer;

// Memory: `arena`. ERR_INVALID: manifests or catalogue cannot be read.
ErrCode exact_solve(Arena *arena, const ExactQuestion *question, ExactAnswer *ret_answer, Err *err);
