// The strategy that places pods where they add the least to the price (STRATEGY_MARGINAL_PRICE).
#pragma once

#include "sched/bin/bin_index.h"
#include "sched/solver.h"

// How much choice of places a class has, the least first.
typedef enum {
    FREEDOM_SELF,    // its pods must share a node, or must not
    FREEDOM_DOMAINS, // has topology rules on zones or other labels
    FREEDOM_BINS,    // has topology rules on hostname
    FREEDOM_ALL,     // has no topology rules
} Freedom;

// Sort key of a class for the order of placing: least freedom first, then largest first.
typedef struct {
    uint32_t class;
    Freedom freedom;
    double size; // marginal_size; varied randomly in further attempts
} ClassOrder;

// Computes the sort key of every class. O(classes × dims).
void marginal_order(Solver *solver, ClassOrder *order);

// Restrictions on where pods that were taken from a bin may be placed.
typedef struct {
    uint32_t from;    // not this bin; INDEX_NONE: every bin
    uint32_t state;   // label state of `from`, whose domains pods keep that rules count; LABEL_STATE_NONE: any domain
    int32_t weight;   // not claims of NodePools with a lower weight
    float most_price; // limit of the price that each claim may rise, $ per hour; INFINITY: new claims are allowed too
} MoveRules;
// No restriction: claims of every pool, new ones too.
extern const MoveRules MOVE_ANYWHERE;

// Places up to `want` pods that were taken from their bins. Returns how many.
uint32_t marginal_move(Solver *solver, uint32_t class, uint32_t variant, uint32_t want, const MoveRules *rules);
// Opens a claim for one pod, whatever room there is elsewhere; false: no pool can.
bool marginal_open(Solver *solver, uint32_t class, uint32_t variant);

// Places pods with the contract of place/first_fit.h.
uint32_t marginal_place(Solver *solver, uint32_t class, uint32_t variant, uint32_t want, bool *ret_later);
