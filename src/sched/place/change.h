// A change to a solution that can be taken back: pods leave bins and find other places, and if the price did not fall,
// all is as it was before.
//
// While a change is open, everything that is put on a bin through solver_commit is noted. Counts of topology groups are
// undone by counting backwards, bins from copies. Memory is that of the change; it is reused by the next one. What may
// be taken away: pods from bins none of whose counts was decided by the types left; not such with shared volume claims
// from nodes, where pods that are bound may use them, too.
#pragma once

#include "sched/solver.h"

// A bin as it was before the change.
typedef struct {
    Bin bin;
    uint64_t *rows;
    int64_t *used, *free, *charge;
    BinPods *pods;
    Symbol *claims;
    double price;
} SavedBin;

// Pods that came to a bin (or left it, negative), and the state it was in then.
typedef struct {
    uint32_t bin, state, class;
    int32_t count;
} Move;

// The least count of a spread before pods that it counts left their bins.
typedef struct {
    uint32_t group;
    int32_t minimum;
} SpreadMinimum;

// The domains that a settled spread counted before a claim brought another one.
typedef struct {
    uint32_t group;
    uint64_t *supported;
} SavedDomains;

typedef struct Change {
    Solver *solver;
    Arena arena;
    Vec(SavedBin) saved;
    Vec(Move) moves;
    Vec(SpreadMinimum) minimums;
    Vec(SavedDomains) domains; // once they are saved
    bool settled_saved;
    uint32_t bin_count; // bins before
    ArenaMark placing;  // of the solver, before
    const Bin *bins;    // where they lay
} Change;

void change_begin(Change *change, Solver *solver);

// Takes `count` of the pods in entry `index` of a bin's pods away. They are without a place then; a claim
// without pods is none.
void change_take(Change *change, uint32_t bin, uint32_t index, uint32_t count);

// What the change adds to the price; INFINITY when a limit is broken. O(bins touched).
double change_cost(Change *change);

// Whether whoever stayed where he was still has what he relied on, no more claims than before have lowered minValues,
// and none brings a domain that settled spreads do not count: pods that leave a domain lower the least count of their
// spreads. Affinity is not asked: whoever takes pods that others are near to takes those, too. O(groups touched ×
// domains + bins touched × groups of settled spreads).
bool change_holds(Change *change);

void change_keep(Change *change);
void change_undo(Change *change);
void change_free(Change *change);

// Called by solver_commit: before pods come to a bin, and after.
void change_save(Change *change, uint32_t bin);
// Called before settled spreads count the domains of a claim.
void change_save_settled(Change *change);
void change_note(Change *change, uint32_t bin, uint32_t class, uint32_t count);
