// The exact yardstick: the cheapest plan of all for a small input, by an integer program.
//
// It shares no code with the planner. It reads the input with the checker's reader and asks the checker's rules, and
// the checker judges the plan it comes back with, so what it finds is valid; that nothing valid is cheaper is what
// README.md proves. Most pods come first, then the price per hour. Preferences do not count.
#pragma once

#include "checker/check_plan.h"

// Which plans are looked at.
typedef enum {
    // All that the checker takes: whatever kube-scheduler would carry out. No valid plan is cheaper than this optimum.
    EXACT_ALL_VALID,
    // Of these the ones that keep what the planner promises, as long as no pod stays out for it: spreads level over all
    // domains that pools could open, not only those of nodes that are there; room and ports for each daemon that may
    // come to a type; PreferNoSchedule kept by who has another place; a claim of a heavier pool where one takes a pod.
    EXACT_PROMISED,
} ExactPlans;

typedef struct {
    const DocumentVec *manifests;
    const Value *catalog;
    CheckOptions options;
    ExactPlans plans;
    // A plan that is known: its pods show which of those that validation may leave out count.
    const Value *known;
    uint32_t known_placed;  // pods that it places
    double price_cap;       // plans above need not be found, when the known plan places all pods; INFINITY: all
    uint32_t unplaced_most; // plans that leave out more are not looked for
    double seconds;         // for each integer program
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
    uint32_t pods;     // that count: a place is wanted for them
    uint32_t unplaced; // of these
    uint32_t kinds;    // 1 << ExactKind
    double price_per_hour;
    Slice plan;       // JSON in the shape of `tenon plan -o json`
    bool has_spreads; // over another key than the hostname: SpreadDomains make a difference
    bool has_soft_taints;
    uint32_t refused;    // plans that the integer program liked and the checker did not
    Slice refused_for;   // the last such violation
    uint32_t columns;    // of the integer program
    const char *because; // of EXACT_NOT_PROVED
} ExactAnswer;

// Memory: `arena`. ERR_INVALID: manifests or catalogue cannot be read.
ErrCode exact_solve(Arena *arena, const ExactQuestion *question, ExactAnswer *ret_answer, Err *err);
