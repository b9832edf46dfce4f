// Proof of stability: a command that was found a while ago is found again.
#include "disrupt/classic.h"
#include "disrupt/eligible.h"
#include "disrupt/emptiness.h"
#include "disrupt/replacement.h"
#include "disrupt/static/static_pool.h"

const char *proposal_verdict_text(ProposalVerdict verdict) {
    static const char *const texts[] = {[PROPOSAL_STANDS] = "",
                                        [PROPOSAL_CHURN] = "churn",
                                        [PROPOSAL_BUDGET] = "budget",
                                        [PROPOSAL_SCHEDULING] = "scheduling"};

    return texts[verdict];
}

// --- candidates

// The facts without the mark that the nodes' own command has made.
static DisruptFacts facts_for(Arena *arena, const DisruptFacts *facts, const DisruptProposal *proposal) {
    uint8_t *bits = arena_array(arena, uint8_t, facts->nodes.count + 1);
    DisruptFacts own = *facts;
    IndexMap claims = {0};

    for (vec_each(const Symbol, uid, &proposal->claims))
        u64_map_put(arena, &claims, *uid, 1);
    for (uint32_t i = 0; i < facts->nodes.count; i++) {
        const NodeClaim *claim = facts->nodes.items[i].claim;
        bool is_own = claim && u64_map_get(&claims, claim->meta.uid) != INDEX_NONE;

        bits[i] = facts->node_bits[i] & (is_own ? (uint8_t)~NODE_IN_COMMAND : UINT8_MAX);
    }
    own.node_bits = bits;
    return own;
}

// Those of the proposal's nodes that the method may still choose, in its order.
static CandidateList find_candidates(Round *round, const DisruptProposal *proposal) {
    const DisruptionCandidateVec *all = round_all(round, eligible_class(proposal->method));
    IndexMap candidates = {0};
    CandidateList found = {0};

    for (uint32_t i = 0; i < all->count; i++)
        u64_map_put(round->arena, &candidates, round->facts->nodes.items[all->items[i].node].claim->meta.uid, i);
    for (vec_each(const Symbol, uid, &proposal->claims)) {
        uint32_t at = u64_map_get(&candidates, *uid);
        Slice why;

        if (at != INDEX_NONE && candidate_is_open(&all->items[at]) &&
            is_eligible(round, proposal->method, &all->items[at], &why))
            vec_push(round->arena, &found, &all->items[at]);
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
    bool is_classic =
        proposal->method == METHOD_CONSOLIDATION && round->options->consolidation == CONSOLIDATION_CLASSIC;
    Slice why;

    if (is_classic && !classic_narrow(round, found, claim, &why))
        return false;
    replacement_keep_named(round->arena, &round->facts->cluster->symbols, claim, &proposal->types.items[list]);
    return claim->offering;
}

// Gives each claim one of the proposal's lists of types, another one to each. A claim may become none but the listed.
static bool restrict_claims(Round *round, const CandidateList *found, const DisruptProposal *proposal,
                            DisruptCommand *command) {
    bool *is_used = arena_array(round->arena, bool, proposal->types.count);

    for (vec_each(PlannedClaim, claim, &command->replacements)) {
        uint32_t list = 0;

        while (list < proposal->types.count && (is_used[list] || !may_become_all(claim, &proposal->types.items[list])))
            list++;
        if (list == proposal->types.count || !narrow(round, found, proposal, claim, list))
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
    if (!answer.works || answer.claims.count != proposal->types.count)
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

static ProposalVerdict prove(Round *round, const DisruptProposal *proposal, DisruptCommand *ret_command) {
    CandidateList found = find_candidates(round, proposal);

    if (proposal->method == METHOD_EMPTINESS)
        return prove_emptiness(round, &found, ret_command);
    if (!found.count || found.count != proposal->claims.count)
        return PROPOSAL_CHURN;
    if (round_within_budgets(round, &found, proposal->method).count != found.count)
        return PROPOSAL_BUDGET;
    if (proposal->method != METHOD_STATIC_DRIFT)
        return prove_moves(round, &found, proposal, ret_command);
    *ret_command = static_pool_command(round, proposal->method, found.items[0], proposal->types.count > 0);
    return PROPOSAL_STANDS;
}

ProposalVerdict disrupt_prove(Arena *arena, const DisruptFacts *facts, const DisruptOptions *options,
                              const DisruptProposal *proposal, DisruptCommand *ret_command) {
    DisruptFacts own = facts_for(arena, facts, proposal);
    DisruptPass unused;
    Round round;
    ProposalVerdict verdict;

    round_open(&round, arena, &own, options, &unused);
    verdict = prove(&round, proposal, ret_command);
    round_close(&round);
    return verdict;
}
