// Proposals to groups of sched's search, and outcomes to verdicts.
#include "disrupt/fleet_prove.h"

#include "disrupt/fleet.h"
#include "sched/fleet/replay.h"

typedef struct {
    Round *round;
    FleetQuestion question;
    FleetGroupVec groups;
    IndexMap pods;  // ns << 32 | name to index into PlanInput.pending
    IndexMap nodes; // name to index into PlanInput.nodes
} Proving;

static uint64_t pod_key(Symbol ns, Symbol name) {
    return (uint64_t)ns << 32 | name;
}

static void index_names(Proving *proving) {
    const PlanInput *plan = &proving->question.input.plan;
    Arena *arena = proving->round->arena;

    for (uint32_t i = 0; i < plan->pending.count; i++)
        u64_map_put(arena, &proving->pods, pod_key(plan->pending.items[i].pod->ns, plan->pending.items[i].pod->name),
                    i);
    for (uint32_t i = 0; i < plan->nodes.count; i++) {
        if (plan->nodes.items[i].node)
            u64_map_put(arena, &proving->nodes, plan->nodes.items[i].name, i);
    }
}

// --- groups

static void add_places(Proving *proving, const DisruptProposal *proposal, FleetGroup *group) {
    for (vec_each(const DisruptPlace, at, &proposal->places)) {
        FleetPlace place = {.pod = u64_map_get(&proving->pods, pod_key(at->ns, at->name)),
                            .node = INDEX_NONE,
                            .claim = at->replacement};

        if (at->node != NAME_EMPTY)
            place.node = u64_map_get(&proving->nodes, at->node);
        if (place.pod != INDEX_NONE && (place.node != INDEX_NONE || at->node == NAME_EMPTY))
            vec_push(proving->round->arena, &group->places, place);
    }
}

static void add_group(Proving *proving, const FleetProof *proof, uint32_t first_source) {
    Arena *arena = proving->round->arena;
    FleetGroup *group = vec_add(arena, &proving->groups);

    *group = (FleetGroup){0};
    for (uint32_t i = 0; i < proof->nodes.count; i++)
        vec_push(arena, &group->sources, first_source + i);
    for (vec_each(const ProposedClaim, claim, &proof->proposal->replacements))
        vec_push(arena, &group->claims,
                 (FleetClaim){disrupt_growing_pool(proving->round->facts, claim->pool), claim->types, claim->labels});
    add_places(proving, proof->proposal, group);
}

// --- verdicts

static ProposalVerdict verdict_of(FleetFate fate) {
    switch (fate) {
    case GOES:
        return PROPOSAL_STANDS;
    case STAYS_BUDGET:
        return PROPOSAL_BUDGET;
    case STAYS_OCCUPIED:
        return PROPOSAL_CHURN;
    default:
        return PROPOSAL_SCHEDULING;
    }
}

static void take_outcome(Proving *proving, const FleetOutcome *outcome, ProvenProposal *proven) {
    proven->verdict = verdict_of(outcome->fate);
    if (outcome->fate != GOES)
        return;
    if (!fleet_command(&proving->question, &outcome->part, &proven->command))
        proven->verdict = PROPOSAL_SCHEDULING; // limits that are settled may leave another price limit
}

// --- all

static CandidateList all_nodes(const Round *round, const FleetProofVec *proofs) {
    CandidateList all = {0};

    for (vec_each(const FleetProof, proof, proofs)) {
        for (vec_each(const DisruptionCandidate *, candidate, &proof->nodes))
            vec_push(round->arena, &all, *candidate);
    }
    return all;
}

static void replay(Proving *proving, const FleetProofVec *proofs) {
    CandidateList all = all_nodes(proving->round, proofs);
    FleetOutcomeVec outcomes;
    uint32_t source = 0;

    fleet_ask(proving->round, &all, &proving->question);
    index_names(proving);
    for (vec_each(const FleetProof, proof, proofs)) {
        add_group(proving, proof, source);
        source += proof->nodes.count;
    }
    fleet_replay(proving->round->arena, &proving->question.input, &proving->groups, &outcomes);
    for (uint32_t i = 0; i < proofs->count; i++)
        take_outcome(proving, &outcomes.items[i], proofs->items[i].proven);
}

static bool all_may_go(const Round *round, const FleetProof *proof) {
    for (vec_each(const DisruptionCandidate *, candidate, &proof->nodes)) {
        if (!fleet_may_take(round, *candidate))
            return false;
    }
    return true;
}

void fleet_prove(Round *round, const FleetProofVec *proofs) {
    Proving proving = {.round = round};
    FleetProofVec open = {0};

    for (vec_each(const FleetProof, proof, proofs)) {
        if (all_may_go(round, proof))
            vec_push(round->arena, &open, *proof);
        else
            proof->proven->verdict = PROPOSAL_SCHEDULING;
    }
    if (open.count)
        replay(&proving, &open);
}
