// Deals: whole contents of whole nodes, as the floor of a small input finds them. Each is the cheapest deal at some
// prices of the rules between nodes, so it may break these rules, but those of the last rounds are often the cheapest
// plan.
#pragma once

#include "sched/contents/problem.h"

// Pods of a class on a node of a deal.
typedef struct {
    uint32_t class, count;
    bool opens; // they may open the claim
} DealPart;

// A node of a deal.
typedef struct {
    Pool *pool;          // NULL: an existing node
    uint32_t bin;        // existing node: of the solver
    LabelSetId domains;  // claim: its domains of the rules that bind its pods
    LabelSetId offering; // claim: the same, and zone and capacity type of the offering that it is priced at
    bool reserved;       // claim: of a reservation
    Vec(DealPart) parts;
    uint32_t pods; // of all parts
} DealNode;
typedef Vec(DealNode) DealNodeVec;

typedef struct {
    Arena arena;
    DealNodeVec nodes;
    double price;  // of its claims, $ per hour
    uint64_t hash; // equal deals have the same
    bool settles;  // it holds where some spreads count only domains with nodes
} Deal;

// The latest different deals. They outlive the problem.
enum { DEALS_MAX = 32 };
typedef struct {
    Deal items[DEALS_MAX];
    uint32_t count; // of all that were added; the last DEALS_MAX of them are there
} Deals;

// Begins a deal, which replaces the oldest one if there are DEALS_MAX.
Deal *deals_begin(Deals *deals);
// Adds a node with that content. `place`: a claim or kind of node; `time`: which of the kind's equal nodes.
// O(items × rules).
void deal_add(Deal *deal, const SmallProblem *problem, const SmallPlace *place, uint32_t time, uint32_t content);
// Ends the deal that was begun, and drops it if it is there already. O(DEALS_MAX).
void deals_end(Deals *deals);
void deals_free(Deals *deals);
