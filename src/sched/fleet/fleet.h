// The fleet search: sets of existing nodes whose pods fit elsewhere, or on cheaper new nodes.
//
// The nodes that may go, its sources, are bins that hold their pods; all other nodes are bins with their present room.
// A move empties some sources as a whole and places their pods again by marginal price. It is kept when the price of
// the fleet falls by more than what the disruption costs, and undone otherwise, so that the sum of both falls with
// every move. Claims that a move opens may be filled by later ones. Moves that share claims, or a node that one filled
// and another one emptied, are one part; parts do not depend on each other. docs/design/disrupt-fleet.md.
#pragma once

#include "sched/plan.h"

// A node that may go.
typedef struct {
    uint32_t node;         // index into PlanInput.nodes
    double price_per_hour; // what it costs now
    double disruption;     // $ per hour: the cost of moving its pods, spread over the time in which it has to pay back
    uint32_t budget;       // index into FleetInput.budgets
} FleetSource;
typedef Vec(FleetSource) FleetSourceVec;

// Pods of a part that move to an existing node.
typedef struct {
    uint32_t node; // index into PlanInput.nodes
    U32Vec pods;   // indexes into PlanInput.pending
} FleetDelivery;
typedef Vec(FleetDelivery) FleetDeliveryVec;

// Nodes that go together, and what takes their pods.
typedef struct {
    U32Vec sources; // indexes into FleetInput.sources, ascending
    PlannedClaimVec claims;
    FleetDeliveryVec deliveries;
    double price_per_hour;  // of the sources
    double claims_per_hour; // of the claims, as they are expected to be launched
    double disruption;      // of the sources
} FleetPart;
typedef Vec(FleetPart) FleetPartVec;

// Whether a part may be. Its claims' `pods` and its deliveries are not filled in. May change nothing.
typedef bool FleetAccepts(void *context, const FleetPart *part);

typedef struct {
    PlanInput plan;  // `pending`: pods that wait for a place, and the pods of sources that move when those go
    uint32_t *homes; // per pending pod: the source where it runs; INDEX_NONE: it waits
    FleetSourceVec sources;
    U32Vec budgets;        // how many sources may go, per budget
    const bool *closed;    // per node: it takes no pods
    double claim_overhead; // share of a new claim's price that counts as disruption: it is paid for while it boots
    double saving_least;   // $ per hour: what a move saves at least, after its disruption
    bool full_too;         // sources whose pods are worth what they cost are tried, too: others may have room for free
    uint64_t settled;      // a search over nearly this fleet found nothing: which further groups to try; 0: unknown
    FleetAccepts *accepts; // NULL: every part may be
    void *context;
} FleetInput;

// Why a source stays.
typedef enum {
    STAYS_FULL,     // it costs no more than its pods are worth at market prices
    STAYS_NO_ROOM,  // its pods have no place elsewhere
    STAYS_NO_GAIN,  // other places for its pods cost too much
    STAYS_REFUSED,  // `accepts` did not like what would replace it
    STAYS_BUDGET,   // its budget is used up
    STAYS_UNTRIED,  // the search ended before its turn
    STAYS_OCCUPIED, // pods that wait for a place are expected there
    GOES,
} FleetFate;

typedef struct {
    FleetFate fate;
    double worth; // of its pods at market prices, $ per hour
    double gain;  // the best gain found, $ per hour, negative if it costs more; NAN: its pods have no place
} FleetVerdict;

typedef struct {
    FleetPartVec parts;       // by gain for disruption, best first
    FleetDeliveryVec waiting; // where pods that wait are expected, on existing nodes
    FleetVerdict *verdicts;   // per source
    uint32_t moves_tried, moves_kept;
    bool cut_short; // by a deadline, or cancelled: another search may find more
} FleetResult;

// Where a pod went in a part that was found earlier.
typedef struct {
    uint32_t pod;   // index into PlanInput.pending
    uint32_t node;  // index into PlanInput.nodes; INDEX_NONE: ...
    uint32_t claim; // ... index into FleetGroup.claims
} FleetPlace;
typedef Vec(FleetPlace) FleetPlaceVec;

typedef struct {
    const NodePool *pool; // NULL: it cannot be opened any more
    SymbolVec types;      // names of the types that it may become
    Labels labels;        // that it has to have, as far as something asks for them
} FleetClaim;
typedef Vec(FleetClaim) FleetClaimVec;

// A part that was found earlier.
typedef struct {
    U32Vec sources; // none of another group
    FleetClaimVec claims;
    FleetPlaceVec places;
} FleetGroup;
typedef Vec(FleetGroup) FleetGroupVec;

// Searches. Everything returned lives in `arena` or in the input.
void fleet_search(Arena *arena, const FleetInput *input, FleetResult *ret_result);
