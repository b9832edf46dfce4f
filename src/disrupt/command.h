// Commands of voluntary disruption: nodes that go, and what takes over their pods. Reference lifecycle.md 4.2, 4.10.
#pragma once

#include "disrupt/facts.h"

// What looks for commands, in the order in which a pass tries them. Reference lifecycle.md 4.2, changes.md 1.1.
typedef enum {
    METHOD_EXPIRATION, // tenon's own: forceful ends are prepared
    METHOD_EMPTINESS,
    METHOD_REPAIR,
    METHOD_STATIC_DRIFT,
    METHOD_DRIFT,
    METHOD_CONSOLIDATION,
    DISRUPT_METHOD_COUNT,
} DisruptMethod;

// The reason that budgets, conditions and metrics use for what the method does. Not of METHOD_EXPIRATION: it asks no
// budget.
DisruptionReason disrupt_method_reason(DisruptMethod method);
// The word of the reason: "Empty", ..., "Expired".
const char *disrupt_method_word(DisruptMethod method);

typedef Vec(const Pod *) PodPtrVec;

// What is remembered of a replacement that was found, until it is proved.
typedef struct {
    Symbol pool;
    SymbolVec types; // names of the instance types that it may become
    Labels labels;   // that its requirements leave no choice of: its zone, if pods are spread over zones
} ProposedClaim;
typedef Vec(ProposedClaim) ProposedClaimVec;

// O(types + requirements).
ProposedClaim proposed_claim_make(Arena *arena, const PlannedClaim *claim);

// Where a pod of a command goes.
typedef struct {
    Symbol ns, name;
    Symbol node;          // its name; NAME_EMPTY: ...
    uint32_t replacement; // ... index of the command's replacement
} DisruptPlace;
typedef Vec(DisruptPlace) DisruptPlaceVec;

typedef struct {
    DisruptMethod method;
    U32Vec nodes; // that go: indexes into DisruptFacts.nodes
    // NodeClaims that must be ready before `nodes` are deleted. Their `pods` say nothing; those of static pools are of
    // the template alone, without types, choice, offering and requests.
    PlannedClaimVec replacements;
    PodPtrVec on_replacements;  // pods of `nodes` that are expected there; empty for fleet commands
    U32Vec destinations;        // indexes of existing nodes where pods of `nodes` are expected
    DisruptPlaceVec places;     // of the fleet search: where each of those pods goes
    uint32_t pods;              // reschedulable ones on `nodes`
    double price_per_hour;      // $, of `nodes`
    double saving_per_hour;     // `price_per_hour` minus the expected price of the replacements; 0 for a static pool
    int64_t paid_back_ns;       // of the fleet search: when it has saved what it costs, since 1970; 0: not known
    const RepairPolicy *repair; // of METHOD_REPAIR: what decided; else NULL
    int64_t bound_ns;           // of METHOD_REPAIR: the longest its drain may take; REPAIR_NO_BOUND
    bool reboots;               // of METHOD_REPAIR: its node is rebooted and stays
} DisruptCommand;
typedef Vec(DisruptCommand) DisruptCommandVec;

// A decision about a node or a NodePool that people are told of, as an event.
typedef struct {
    uint32_t node;      // index into DisruptFacts.nodes: the event is about the Node and its NodeClaim. INDEX_NONE: ...
    Symbol pool;        // ... about this NodePool
    const char *reason; // "DisruptionBlocked", "Unconsolidatable", "ConsolidationApproved", "NodeRepairBlocked"
    Slice text;
} DisruptNote;
typedef Vec(DisruptNote) DisruptNoteVec;
