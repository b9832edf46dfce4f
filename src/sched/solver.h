// The stages of one solve. plan_solve runs them in this order.
#pragma once

#include "sched/bin.h"

// Reads the input into a solver: universe, classes, pools, groups, bins of existing nodes with what is bound to them.
void solver_init(Solver *solver, Arena *arena, const PlanInput *input);

// Existing nodes as bins, and the pods bound to them as counts (solver_nodes.c).
void solver_mention_nodes(Solver *solver);
void solver_make_bound_groups(Solver *solver, U32Vec **ret_groups);
void solver_make_nodes(Solver *solver, U32Vec *bound_groups);

// Places everything that can be placed.
void solver_place(Solver *solver);

// Opens a claim for a class in the pool; INDEX_NONE when the class cannot start one there now. The claim is the last
// bin. `ret_later`: a topology rule may allow it later.
uint32_t claim_open(Solver *solver, Pool *pool, const PodClass *class, const Variant *variant, uint32_t want,
                    Placement *ret_placement, bool *ret_later);
// Takes from the pool's limits what the claim may cost at most now; called after each commit to a claim.
void claim_charge(Solver *solver, Bin *bin);

// The lowest price of what the claim can still be launched as; ret_row and ret_offering (may be NULL) say what.
// Launch order: reserved, spot, on-demand (scheduling.md 3.4). INFINITY: nothing.
double claim_price(const Solver *solver, const Bin *bin, const uint64_t *rows, uint32_t *ret_row,
                   const Offering **ret_offering);

// Whether a launch of the claim as that type could use the offering.
bool claim_takes(const Solver *solver, const Bin *bin, const TypeRow *type_row, const Offering *offering);

// Fills the plan from the bins, and the reasons of classes that were left over.
void solver_write_plan(Solver *solver, Plan *ret_plan);
void solver_explain(Solver *solver, const PodClass *class, ReasonVec *ret_reasons, Slice *ret_message);
