// The stages of one solve. plan_solve runs them in this order.
#pragma once

#include "sched/bin/bin.h"

// Reads the input into a solver: universe, classes, pools, groups, bins of existing nodes with what is bound to them.
void solver_init(Solver *solver, Arena *arena, const PlanInput *input);

// What topology counts of a bound pod.
typedef struct {
    uint32_t label_class; // INDEX_NONE: nobody asks
    U32Vec groups;        // of its own anti-affinity
} BoundPod;

// Existing nodes as bins, and the pods bound to them as counts (bin/nodes.c). `ret_bound`: for each pod of the
// cluster; NULL when there is no rule that could count it.
void solver_mention_nodes(Solver *solver);
void solver_find_bound(Solver *solver, BoundPod **ret_bound);
void solver_make_nodes(Solver *solver, const BoundPod *bound);

// Places everything that can be placed, by the solver's strategy.
void solver_place(Solver *solver);

// Forgets where searches failed: bins have changed in another way than by placing.
void solver_forget_failures(Solver *solver);

// Puts pods where bin_try said they may go, and charges the limits.
void solver_commit(Solver *solver, uint32_t bin, uint32_t class, uint32_t variant, const Placement *placement);

// Strategies: each places some pods of a class, at most `want`, under one variant, and returns how many. `ret_later`: a
// rule may allow more later.
uint32_t first_fit_place(Solver *solver, uint32_t class, uint32_t variant, uint32_t want, bool *ret_later);
uint32_t emptiest_place(Solver *solver, uint32_t class, uint32_t variant, uint32_t want, bool *ret_later);
uint32_t marginal_place(Solver *solver, uint32_t class, uint32_t variant, uint32_t want, bool *ret_later);

// Whether a claim could become a node in a domain that some spread counts no longer: after settle_domains no such claim
// may be opened. O(groups × shapes).
bool brings_domain(Solver *solver, const Bin *bin);

// Ties a waiting spread's count to the nodes that there will be (bin/settle.c); whether anything changed.
bool settle_domains(Solver *solver);

// Opens a claim for a class in the pool; INDEX_NONE when the class cannot start one there now. The claim is the last
// bin. `ret_later`: a topology rule may allow it later.
uint32_t claim_open(Solver *solver, Pool *pool, const PodClass *class, const Variant *variant, uint32_t want,
                    Placement *ret_placement, bool *ret_later);
// What a claim for one pod of the class would cost in the pool if it were opened now; INFINITY: it cannot be.
double claim_quote(Solver *solver, Pool *pool, const PodClass *class, const Variant *variant);
// Takes from the pool's limits what the claim may cost at most now; called after each commit to a claim.
void claim_charge(Solver *solver, Bin *bin);

// Gives back the reservation that the claim is tied to, if any.
void claim_release(Solver *solver, const Bin *bin);

// Cuts all claims of a pool down to types no larger than they are expected to become: gives back what they were charged
// for larger ones.
void pool_tighten(Solver *solver, Pool *pool);

// When nothing moves: cuts claims down where they could together become more than their pool's limits, and charges the
// largest type from now on. Whether any claim was cut down.
bool claims_settle_limits(Solver *solver);

// The launch_order of a pool and a state, made when new.
const LaunchOrder *claim_launch_order(Solver *solver, const Pool *pool, uint32_t state);

// The price of what the claim is expected to be launched as, were `rows` its types; ret_row and ret_offering (may be
// NULL) say what. INFINITY: nothing.
double claim_price(Solver *solver, const Bin *bin, const uint64_t *rows, uint32_t *ret_row,
                   const Offering **ret_offering);

// Fills the plan from the bins, and the reasons of classes that were left over.
void solver_write_plan(Solver *solver, Plan *ret_plan);
void solver_explain(Solver *solver, const PodClass *class, ReasonVec *ret_reasons, Slice *ret_message);
