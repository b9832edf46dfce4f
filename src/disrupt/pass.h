// One pass over the cluster: what may be disrupted now. Reference lifecycle.md 4.1, 4.2, 4.14.
#pragma once

#include "disrupt/command.h"
#include "disrupt/worth/demand.h"

// How METHOD_CONSOLIDATION looks for commands.
typedef enum {
    CONSOLIDATION_FLEET,   // the whole fleet at once: any number of nodes to any number of cheaper ones
    CONSOLIDATION_CLASSIC, // Karpenter's: prefixes of many nodes, then single nodes, to at most one replacement
} Consolidation;

typedef struct {
    Consolidation consolidation;
    PreferencePolicy preferences;
    MinValuesPolicy min_values;
    PlanSearch search; // of what-ifs
    uint32_t methods;  // bits 1 << DisruptMethod: those that are tried
    uint64_t searched; // DisruptPass.searched of an earlier pass, if it is recent; 0: none
    bool spot_to_spot; // gate SpotToSpotConsolidation
    bool reboot;       // gate RebootForRepair: else what a reboot would cure is replaced
    // Gate TerminateFirstDrift: drifted nodes of a static pool that is at its node limit go before their replacements
    // come, which the pool's own controller then makes (changes.md 3).
    bool terminate_first_drift;
    bool terminate_first_repair;        // gate TerminateFirstRepair: the same for sick nodes
    uint32_t expiration_jitter_percent; // of expireAfter: expiration_at_ns
    int64_t expiration_lead_ns;         // how long before that replacements are launched; 0: never
    bool may_wait;                      // consolidation may wait for pools to come to rest (disrupt/worth/rest.h)
    bool ranks;                         // gate PodDeletionCostManagement: the order in which nodes go is asked for
    const DemandHistory *demand;        // of the NodePools, until now; NULL: it is not known
    Mono now;
} DisruptOptions;

// What the budgets of a NodePool say for a reason, for gauges.
typedef struct {
    Symbol pool;
    uint32_t allowed[DISRUPTION_REASON_COUNT]; // BUDGET_UNLIMITED: no limit
    uint32_t consuming;                        // nodes that are deleting or not ready
} PoolAllowance;
typedef Vec(PoolAllowance) PoolAllowanceVec;

// What the NodeClaims of a NodePool cost, for gauges.
typedef struct {
    Symbol pool;
    double price_per_hour; // of their offerings today
    uint32_t unpriced;     // NodeClaims whose offering or price is not known: they count nothing
} PoolCost;
typedef Vec(PoolCost) PoolCostVec;

// A move of consolidation that pods would allow, in one NodePool of its nodes, for metrics.
typedef struct {
    Symbol pool;
    ConsolidationPolicy policy;
    bool is_approved;   // by all pools: the move is a command of the pass
    bool pool_approves; // by this one
    double score;       // of policy Balanced; NAN of others
} DisruptMove;
typedef Vec(DisruptMove) DisruptMoveVec;

// What is expected of a node that no command is under way for (disrupt/outlook.h).
typedef struct {
    uint32_t node;   // index into DisruptFacts.nodes
    uint32_t place;  // in the order in which nodes go: 1 first, equal ones in no order; 0: it is not in it
    bool is_planned; // the fleet search would have it go, but that it may be needed again too soon
} DisruptOutlook;
typedef Vec(DisruptOutlook) DisruptOutlookVec;

typedef struct {
    DisruptCommandVec commands; // several of Expiration and StaticDrift, at most one of Repair, of Drift and of
                                // Consolidation each; no node is in two of them
    DisruptNoteVec notes;
    PoolAllowanceVec allowances;
    PoolCostVec costs; // of each of facts->pools
    DisruptMoveVec moves;
    uint32_t eligible[DISRUPT_METHOD_COUNT]; // candidates of each method
    // Of nodes of which something is expected. `has_outlooks`: consolidation looked; else what an earlier pass said of
    // all nodes stands. `has_plan`: so did the fleet search; else what one said of `is_planned` stands.
    DisruptOutlookVec outlooks;
    bool has_outlooks, has_plan;
    PoolAmountVec demand; // what the pods of each NodePool request
    // Nothing was found that consolidation could do, and neither a budget nor a deadline kept it from looking: until
    // something changes another look finds nothing either.
    bool consolidated;
    bool waits_for_rest; // consolidation waits for some pool: to be looked at again soon
    // When a method may find something without a change: a toleration ends, repair's pace allows more, the time of a
    // node comes near. INT64_MAX: never.
    int64_t look_at_ns;
    // What the fleet search was asked when it found nothing: as long as it is asked the same it is left out. 0: it
    // found something, or could not look at everything.
    uint64_t searched;
} DisruptPass;

// Looks for commands with each method of the options in turn. What a command disrupts counts against the budgets of
// the methods after it. Everything returned lives in `arena` or in the facts.
void disrupt_pass(Arena *arena, const DisruptFacts *facts, const DisruptOptions *options, DisruptPass *ret_pass);

// --- proof of stability

// A command that was found a while ago.
typedef struct {
    DisruptMethod method;
    SymbolVec claims; // uids of the NodeClaims of its nodes
    ProposedClaimVec replacements;
    DisruptPlaceVec places; // of the fleet search
} DisruptProposal;
typedef Vec(DisruptProposal) DisruptProposalVec;

typedef enum {
    PROPOSAL_STANDS,
    PROPOSAL_CHURN,      // a node is no candidate any more: pods came, it was nominated, it is going away
    PROPOSAL_BUDGET,     // a budget is used up
    PROPOSAL_SCHEDULING, // the pods of its nodes would need something else
} ProposalVerdict;

// "", "churn", "budget", "scheduling".
const char *proposal_verdict_text(ProposalVerdict verdict);

// What became of a proposal.
typedef struct {
    bool looked_at; // false: another look is needed, when what stands before it has begun
    ProposalVerdict verdict;
    DisruptCommand command; // when it stands
} ProvenProposal;
typedef Vec(ProvenProposal) ProvenProposalVec;

// Finds commands again in the present cluster, in their order, each as if those before it that stand had been carried
// out; commands of the fleet search come last. Of emptiness those nodes remain that are still empty, at least one;
// other commands stand as a whole or not at all. The replacements may become no type that the proposal did not name,
// and are never dearer than the nodes. Room on replacements of others is not counted on: after one of another method
// that needs replacements nothing is looked at. All share one preparation; those of the fleet search share one of the
// solver, too (sched/fleet/replay.h). Everything returned lives in `arena` or in the facts.
void disrupt_prove(Arena *arena, const DisruptFacts *facts, const DisruptOptions *options,
                   const DisruptProposalVec *proposals, ProvenProposalVec *ret_proven);
