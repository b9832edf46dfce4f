// Undoable changes of a solution: pods are taken from bins and placed elsewhere; the caller keeps the change or undoes
// it, for example if the price did not fall.
//
// While a change is open (solver->change), solver_commit records everything that it places. Undoing counts topology
// groups backwards and restores bins from copies. The copies are in the change's own memory, which the next change
// reuses. Pods may not be taken from claims with a count that was decided by
// restricting types (Bin.decided).
#pragma once

#include "sched/solver.h"

// A copy of a bin before the change.
typedef struct {
    Bin bin;
    uint64_t *rows;
    int64_t *used, *free, *charge;
    BinPods *pods;
    Symbol *claims;
    double price;
} SavedBin;

// Pods that were placed on a bin (negative: taken from it), and the bin's label state at that time.
typedef struct {
    uint32_t bin, state, class;
    int32_t count;
} Move;

// The minimum of a spread over its domains before the change.
typedef struct {
    uint32_t group;
    int32_t minimum;
} SpreadMinimum;

// The domains of a settled spread before the change.
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
    Vec(SavedDomains) domains; // empty until `settled_saved`
    bool settled_saved;
    uint32_t bin_count; // of the solver before the change; later bins are undone as a whole
    ArenaMark placing;  // of solver->placing before the change
    const Bin *bins;    // address of the solver's bins before the change
} Change;

void change_begin(Change *change, Solver *solver);

// Takes `count` pods in entry `index` of a bin's pods away from it; they count as not placed then. A claim without pods
// is removed: its charge and its reservation are free again.
void change_take(Change *change, uint32_t bin, uint32_t index, uint32_t count);

// The price that the change adds, $ per hour, including the cost of losing a node (bin/blast_radius.h); INFINITY if a
// limit is exceeded. O(bins touched).
double change_cost(Change *change);

// Whether the rules of pods that were not moved still hold. Checks spreads, since pods that leave a domain may lower
// the minimum of their spreads; that no more claims than before have lowered minValues; and that no claim brings a
// domain that would violate settled spreads. Affinity is not checked: the caller must take pods together with those
// that rely on them (rebuild_add_dependents). O(groups touched × domains + bins touched × groups of settled spreads).
bool change_holds(Change *change);

void change_keep(Change *change);
void change_undo(Change *change);
void change_free(Change *change);

// Called by solver_commit before pods are added to a bin.
void change_save(Change *change, uint32_t bin);
// Called before the domains of a claim are added to settled spreads.
void change_save_settled(Change *change);
// Called by solver_commit after pods were added to a bin.
void change_note(Change *change, uint32_t bin, uint32_t class, uint32_t count);
