// Proof of stability: a command that was found a while ago is found again.
#include "disrupt/classic.h"
#include "disrupt/eligible.h"
#include "disrupt/emptiness.h"
#include "disrupt/fleet_prove.h"
#include "disrupt/replacement.h"
#include "disrupt/static/static_pool.h"

const char *proposal_verdict_text(ProposalVerdict verdict) {
    static const char *const texts[] = {[PROPOSAL_STANDS] = "",
                                        [PROPOSAL_CHURN] = "churn",
                                        [PROPOSAL_BUDGET] = "budget",
                                        [PROPOSAL_SCHEDULING] = "scheduling"};

    return texts[verdict];
}

typedef struct {
    Round round;
    IndexMap claims[DISRUPTION_CLASS_COUNT]; // by DisruptionClass: uid to index into the round's candidates
    bool has_claims[DISRUPTION_CLASS_COUNT];
    FleetProofVec of_fleet;
} Proving;

// --- candidates

// The facts without the marks that the proposals' own commands have made.
static DisruptFacts facts_for(Arena *arena, const DisruptFacts *facts, const DisruptProposalVec *proposals) {
    uint8_t *bits = arena_array(arena, uint8_t, facts->nodes.count + 1);
    DisruptFacts own = *facts;
    IndexMap claims = {0};

    for (vec_each(const DisruptProposal, proposal, proposals)) {
        for (vec_each(const Symbol, uid, &proposal->claims))
            u64_map_put(arena, &claims, *uid, 1);
    }
    for (uint32_t i = 0; i < facts->nodes.count; i++) {
        const NodeClaim *claim = facts->nodes.items[i].claim;
        bool is_own = claim && u64_map_get(&claims, claim->meta.uid) != INDEX_NONE;

        bits[i] = facts->node_bits[i] & (is_own ? (uint8_t)~NODE_IN_COMMAND : UINT8_MAX);
    }
    own.node_bits = bits;
    return own;
}

static const IndexMap *claims_of(Proving *proving, DisruptionClass class) {
    const DisruptionCandidateVec *all = round_all(&proving->round, class);

    for (uint32_t i = 0; i < all->count && !proving->has_claims[class]; i++)
        u64_map_put(proving->round.arena, &proving->claims[class],
                    proving->round.facts->nodes.items[all->items[i].node].claim->meta.uid, i);
    proving->has_claims[class] = true;
    return &proving->claims[class];
}

// Those of the proposal's nodes that the method may still choose, in its order.
static CandidateList find_candidates(Proving *proving, const DisruptProposal *proposal) {
    Round *round = &proving->round;
    DisruptionClass class = eligible_class(proposal->method);
    const IndexMap *claims = claims_of(proving, class);
    CandidateList found = {0};

    for (vec_each(const Symbol, uid, &proposal->claims)) {
        uint32_t at = u64_map_get(claims, *uid);
        const DisruptionCandidate *candidate = at == INDEX_NONE ? NULL : &round_all(round, class)->items[at];
        Slice why;

        if (candidate && candidate_is_open(candidate) && !round->is_gone[candidate->node] &&
            is_eligible(round, proposal->method, candidate, &why))
            vec_push(round->arena, &found, candidate);
    }
    return found;
}

// --- each kind of command

// What is still empty may go, though not all of it is.
static ProposalVerdict prove_emptiness(Round *round, const CandidateList *found, DisruptCommand *ret_command) {
    CandidateList chosen;

    if (!found->count)
        return PROPOSAL_CHURN;
    chosen = emptiness_choose(round, found);
    if (!chosen.count)
        return PROPOSAL_BUDGET;
    *ret_command = emptiness_command(round, &chosen);
    return PROPOSAL_STANDS;
}

static bool may_become_all(const PlannedClaim *claim, const SymbolVec *types) {
    for (vec_each(const Symbol, name, types)) {
        bool found = false;

        for (vec_each(const InstanceType *, type, &claim->types))
            found |= (*type)->name == *name;
        if (!found)
            return false;
    }
    return true;
}

static bool narrow(Round *round, const CandidateList *found, const DisruptProposal *proposal, PlannedClaim *claim,
                   uint32_t list) {
    Slice why;

    if (proposal->method == METHOD_CONSOLIDATION && !classic_narrow(round, found, claim, &why))
        return false;
    replacement_keep_named(round->arena, &round->facts->cluster->symbols, claim,
                           &proposal->replacements.items[list].types);
    return claim->offering;
}

// Gives each claim one of the proposal's lists of types, another one to each. A claim may become none but the listed.
static bool restrict_claims(Round *round, const CandidateList *found, const DisruptProposal *proposal,
                            DisruptCommand *command) {
    bool *is_used = arena_array(round->arena, bool, proposal->replacements.count);

    for (vec_each(PlannedClaim, claim, &command->replacements)) {
        uint32_t list = 0;

        while (list < proposal->replacements.count &&
               (is_used[list] || !may_become_all(claim, &proposal->replacements.items[list].types)))
            list++;
        if (list == proposal->replacements.count || !narrow(round, found, proposal, claim, list))
            return false;
        is_used[list] = true;
    }
    command_value(command);
    return true;
}

// The pods need as many new nodes as before, which may be of the types that were proposed.
static ProposalVerdict prove_moves(Round *round, const CandidateList *found, const DisruptProposal *proposal,
                                   DisruptCommand *ret_command) {
    bool saves = proposal->method == METHOD_CONSOLIDATION;
    WhatifAnswer answer;

    round_ask(round, found, saves ? DESTINATIONS_QUIET : DESTINATIONS_ALL, &answer);
    if (!answer.works || answer.claims.count != proposal->replacements.count)
        return PROPOSAL_SCHEDULING;
    *ret_command = command_make(round->arena, proposal->method, found, &answer);
    for (vec_each(const PlannedClaim, claim, &answer.claims))
        command_add_replacement(round->arena, ret_command, claim);
    if (!restrict_claims(round, found, proposal, ret_command))
        return PROPOSAL_SCHEDULING;
    if (saves && answer.claims.count && !(ret_command->saving_per_hour > 0))
        return PROPOSAL_SCHEDULING;
    return PROPOSAL_STANDS;
}

static ProposalVerdict prove_found(Round *round, const CandidateList *found, const DisruptProposal *proposal,
                                   DisruptCommand *ret_command) {
    if (round_within_budgets(round, found, proposal->method).count != found->count)
        return PROPOSAL_BUDGET;
    if (proposal->method != METHOD_STATIC_DRIFT)
        return prove_moves(round, found, proposal, ret_command);
    *ret_command = static_pool_command(round, proposal->method, found->items[0], proposal->replacements.count > 0);
    return PROPOSAL_STANDS;
}

// --- all of them

static bool is_of_fleet(const Proving *proving, const DisruptProposal *proposal) {
    return proposal->method == METHOD_CONSOLIDATION && proving->round.options->consolidation == CONSOLIDATION_FLEET;
}

static void prove(Proving *proving, const DisruptProposal *proposal, ProvenProposal *proven) {
    CandidateList found = find_candidates(proving, proposal);

    if (proposal->method == METHOD_EMPTINESS)
        proven->verdict = prove_emptiness(&proving->round, &found, &proven->command);
    else if (!found.count || found.count != proposal->claims.count)
        proven->verdict = PROPOSAL_CHURN;
    else if (is_of_fleet(proving, proposal))
        vec_push(proving->round.arena, &proving->of_fleet, (FleetProof){proposal, found, proven});
    else
        proven->verdict = prove_found(&proving->round, &found, proposal, &proven->command);
}

// Commands of other methods. Returns whether one of them needs replacements.
static bool prove_others(Proving *proving, const DisruptProposalVec *proposals, ProvenProposalVec *proven) {
    bool replaces = false;

    for (uint32_t i = 0; i < proposals->count; i++) {
        ProvenProposal *answer = &proven->items[i];

        if (replaces || is_of_fleet(proving, &proposals->items[i]))
            continue;
        answer->looked_at = true;
        prove(proving, &proposals->items[i], answer);
        if (answer->verdict != PROPOSAL_STANDS)
            continue;
        round_take(&proving->round, &answer->command);
        replaces |= answer->command.replacements.count > 0;
    }
    return replaces;
}

static void prove_fleet(Proving *proving, const DisruptProposalVec *proposals, bool replaces,
                        ProvenProposalVec *proven) {
    for (uint32_t i = 0; i < proposals->count; i++) {
        if (!is_of_fleet(proving, &proposals->items[i]))
            continue;
        proven->items[i].looked_at = !replaces;
        if (!replaces)
            prove(proving, &proposals->items[i], &proven->items[i]);
    }
    fleet_prove(&proving->round, &proving->of_fleet);
}

void disrupt_prove(Arena *arena, const DisruptFacts *facts, const DisruptOptions *options,
                   const DisruptProposalVec *proposals, ProvenProposalVec *ret_proven) {
    DisruptFacts own = facts_for(arena, facts, proposals);
    Proving proving = {0};
    DisruptPass unused;
    bool replaces;

    *ret_proven = (ProvenProposalVec){0};
    for (uint32_t i = 0; i < proposals->count; i++)
        vec_push(arena, ret_proven, (ProvenProposal){0});
    round_open(&proving.round, arena, &own, options, &unused);
    replaces = prove_others(&proving, proposals, ret_proven);
    prove_fleet(&proving, proposals, replaces, ret_proven);
    round_close(&proving.round);
}
