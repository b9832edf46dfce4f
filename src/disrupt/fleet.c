// What the fleet search is asked, and which of its moves become commands.
//
// What a move must save: moving pods is work for their owners, and a new node boots for a minute that is paid for. Both
// are spread over the time for which a move is expected to last, so that a saving of a few cents a month moves nobody.
// So price times that time plus the cost of what was moved falls strictly with every move, and no chain of moves comes
// back to where it began while prices stand.
#include "disrupt/fleet.h"

#include "disrupt/balanced.h"
#include "disrupt/replacement.h"
#include "sched/fleet/fleet_search.h"

#include <math.h>

static const double EXPECTED_LIFE_HOURS = 4; // of what a move has made
static const double PRICE_OF_A_PART = 0.002; // $, of a unit of reschedule cost: of moving an ordinary pod
static const double BOOT_HOURS = 1.0 / 30;   // both nodes are paid while a replacement boots and pods move

// --- what is asked

// Candidates without a price are worth nothing to the search.
static void add_source(Round *round, const DisruptionCandidate *candidate, FleetInput *input) {
    double cost = PRICE_OF_A_PART * candidate->reschedule_cost / EXPECTED_LIFE_HOURS;
    uint32_t group = (uint32_t)(candidate->pool - round->facts->pools.items);

    if (candidate->price_per_hour > 0)
        vec_push(round->arena, &input->sources,
                 (FleetSource){.node = candidate->node,
                               .price_per_hour = candidate->price_per_hour,
                               .least_saving = cost + candidate->price_per_hour * BOOT_HOURS / EXPECTED_LIFE_HOURS,
                               .group = group});
}

static const uint32_t *budgets_left(Round *round) {
    uint32_t *left = arena_array(round->arena, uint32_t, round->facts->pools.count);

    for (uint32_t i = 0; i < round->facts->pools.count; i++)
        left[i] = pool_budgets_left(&round->budgets, round->facts->pools.items[i].pool->meta.name,
                                    disrupt_method_reason(METHOD_CONSOLIDATION));
    return left;
}

// --- what becomes of a move

static bool all_are_spot(const Round *round, const CandidateList *list) {
    for (vec_each(const DisruptionCandidate *, candidate, list)) {
        if (labels_get(&round->facts->nodes.items[(*candidate)->node].labels, NAME_CAPACITY_TYPE) != NAME_SPOT)
            return false;
    }
    return true;
}

static double expected_price(const PlannedClaimVec *claims) {
    double sum = 0;

    for (vec_each(const PlannedClaim, claim, claims))
        sum += claim->offering ? claim->offering->price_per_hour : INFINITY;
    return sum;
}

// Leaves the types that cost no more than the claim's share of what goes. Spot is not followed down the ladder of its
// prices, on which the next step is always a little cheaper and sooner interrupted: where spot takes the place of spot,
// at least half of what the replacement could be must be cheaper.
static bool narrow(Round *round, PlannedClaim *claim, double share_per_hour, bool from_spot) {
    const Symbols *symbols = &round->facts->cluster->symbols;
    uint32_t choices = claim->types.count;
    bool is_spot = claim->offering->capacity_type == NAME_SPOT;

    if (is_spot && replacement_may_be(symbols, claim, NAME_ON_DEMAND))
        replacement_exclude(round->arena, symbols, claim, NAME_ON_DEMAND);
    replacement_keep_below(round->arena, symbols, claim, share_per_hour);
    if (!claim->types.count || !claim->offering ||
        !replacement_meets_min_values(round->arena, symbols, claim, claim->types.count, NULL))
        return false;
    return !(from_spot && is_spot) || 2 * claim->types.count >= choices;
}

// Adds what comes for the nodes. False: it would not be cheaper whatever is launched.
static bool add_replacements(Round *round, const CandidateList *list, const PlannedClaimVec *claims,
                             DisruptCommand *command) {
    double expected = expected_price(claims);
    bool from_spot = all_are_spot(round, list);

    for (vec_each(const PlannedClaim, claim, claims)) {
        PlannedClaim copy = planned_claim_copy(round->arena, claim);

        if (!copy.offering ||
            !narrow(round, &copy, command->price_per_hour * copy.offering->price_per_hour / expected, from_spot))
            return false;
        vec_push(round->arena, &command->replacements, copy);
    }
    command_value(command);
    return command->saving_per_hour > 0;
}

bool fleet_prove(Round *round, const CandidateList *list, const WhatifAnswer *answer, DisruptCommand *ret_command) {
    *ret_command = command_make(round->arena, METHOD_CONSOLIDATION, list, answer);
    return add_replacements(round, list, &answer->claims, ret_command);
}

static CandidateList candidates_of(Round *round, const CandidateList *all, const U32Vec *nodes) {
    CandidateList found = {0};

    for (vec_each(const DisruptionCandidate *, candidate, all)) {
        if (u32_vec_has(nodes, (*candidate)->node))
            vec_push(round->arena, &found, *candidate);
    }
    return found;
}

static void take_move(Round *round, const CandidateList *all, const FleetMove *move) {
    CandidateList list = candidates_of(round, all, &move->nodes);
    WhatifAnswer answer = {.works = true, .destinations = move->destinations, .pods = move->pods};
    DisruptCommand command = command_make(round->arena, METHOD_CONSOLIDATION, &list, &answer);

    if (!move->nodes.count || !add_replacements(round, &list, &move->claims, &command) ||
        !balanced_approves(round, all, &list, command.saving_per_hour))
        return;
    balanced_note(round, all, &list, command.saving_per_hour);
    round_take(round, &command);
}

// --- the pass

void fleet_find(Round *round) {
    CandidateList candidates = round_candidates(round, METHOD_CONSOLIDATION);
    FleetInput input = {.left = budgets_left(round), .group_count = round->facts->pools.count};
    U32Vec nodes = {0};
    PlanInput plan;
    Fleet fleet;

    candidates_sort_by_savings(&candidates);
    for (vec_each(const DisruptionCandidate *, candidate, &candidates)) {
        add_source(round, *candidate, &input);
        if (!round_budget(round, *candidate, METHOD_CONSOLIDATION))
            round->is_held_back = true;
    }
    if (!input.sources.count)
        return;
    for (vec_each(const FleetSource, source, &input.sources))
        vec_push(round->arena, &nodes, source->node);
    whatif_at_home(round->whatif, &nodes, &plan);
    input.input = &plan;
    fleet_search(round->arena, &input, &fleet);
    round->is_held_back |= fleet.cut_short;
    for (vec_each(const FleetMove, move, &fleet.moves))
        take_move(round, &candidates, move);
}
