// Deleting nodes, or replacing them by one.
#include "disrupt/classic.h"

#include "disrupt/replacement.h"

enum { SPOT_TYPES_MIN = 15 };

typedef struct {
    Round *round;
    const CandidateList *list;
    double price_per_hour; // of the nodes
    PlannedClaim *claim;   // the replacement
    Slice why;             // there is none
} Replacing;

static const Symbols *symbols_of(const Replacing *replacing) {
    return &replacing->round->facts->cluster->symbols;
}

static bool all_are_spot(const Replacing *replacing) {
    for (vec_each(const DisruptionCandidate *, candidate, replacing->list)) {
        const NodeView *view = &replacing->round->facts->nodes.items[(*candidate)->node];

        if (labels_get(&view->labels, NAME_CAPACITY_TYPE) != NAME_SPOT)
            return false;
    }
    return true;
}

static bool meets_min_values(Replacing *replacing) {
    PlannedClaim *claim = replacing->claim;
    Slice complaint;

    if (replacement_meets_min_values(replacing->round->arena, symbols_of(replacing), claim, claim->types.count,
                                     &complaint))
        return true;
    replacing->why = arena_printf(replacing->round->arena, "Filtering by price: %.*s", SLICE_ARG(complaint));
    return false;
}

// Leaves the types that are cheaper than the nodes whatever is launched of them.
static bool is_cheaper(Replacing *replacing) {
    PlannedClaim *claim = replacing->claim;

    replacement_keep_below(replacing->round->arena, symbols_of(replacing), claim, replacing->price_per_hour);
    if (!claim->types.count) {
        replacing->why = SLICE("Can't replace with a cheaper node");
        return false;
    }
    return meets_min_values(replacing);
}

// --- spot by spot

// A spot node that was replaced by the cheapest of few types would soon be interrupted, and would walk down the prices
// one by one: it must have many, of which the cheapest are kept.
static bool has_choice(Replacing *replacing) {
    PlannedClaim *claim = replacing->claim;
    uint32_t kept = SPOT_TYPES_MIN;

    if (claim->types.count < SPOT_TYPES_MIN) {
        replacing->why = arena_printf(replacing->round->arena,
                                      "SpotToSpotConsolidation requires %d cheaper instance type options than the "
                                      "current candidate to consolidate, got %u",
                                      SPOT_TYPES_MIN, claim->types.count);
        return false;
    }
    while (kept < claim->types.count &&
           !replacement_meets_min_values(replacing->round->arena, symbols_of(replacing), claim, kept, NULL))
        kept++;
    replacement_keep_cheapest(replacing->round->arena, symbols_of(replacing), claim, kept);
    return true;
}

static bool replace_spot(Replacing *replacing) {
    Arena *arena = replacing->round->arena;

    if (!replacing->round->options->spot_to_spot) {
        replacing->why = SLICE("SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node");
        return false;
    }
    replacement_exclude(arena, symbols_of(replacing), replacing->claim, NAME_ON_DEMAND);
    replacement_exclude(arena, symbols_of(replacing), replacing->claim, NAME_RESERVED);
    if (!is_cheaper(replacing))
        return false;
    return replacing->list->count > 1 || has_choice(replacing);
}

// --- by anything

// Where spot is possible on-demand is not: if the launch of the one failed, the other could be dearer than the nodes.
static bool replace_any(Replacing *replacing) {
    PlannedClaim *claim = replacing->claim;
    const Symbols *symbols = symbols_of(replacing);

    if (!is_cheaper(replacing))
        return false;
    if (!replacement_may_be(symbols, claim, NAME_SPOT) || !replacement_may_be(symbols, claim, NAME_ON_DEMAND) ||
        !claim->offering || claim->offering->capacity_type == NAME_ON_DEMAND)
        return true;
    replacement_exclude(replacing->round->arena, symbols, claim, NAME_ON_DEMAND);
    return meets_min_values(replacing); // types that have on-demand alone are gone
}

// --- the command

static double price_of(const CandidateList *list) {
    double sum = 0;

    for (vec_each(const DisruptionCandidate *, candidate, list))
        sum += (*candidate)->price_per_hour;
    return sum;
}

bool classic_narrow(Round *round, const CandidateList *list, PlannedClaim *claim, Slice *ret_why) {
    Replacing replacing = {.round = round, .list = list, .price_per_hour = price_of(list), .claim = claim};
    bool is_spot = all_are_spot(&replacing) && replacement_may_be(symbols_of(&replacing), claim, NAME_SPOT);
    bool is_left = is_spot ? replace_spot(&replacing) : replace_any(&replacing);

    *ret_why = replacing.why;
    return is_left;
}

bool classic_compute(Round *round, const CandidateList *list, DisruptCommand *ret_command, Slice *ret_why) {
    WhatifAnswer answer;
    PlannedClaim claim;

    *ret_why = (Slice){0};
    round_ask(round, list, DESTINATIONS_QUIET, &answer);
    if (!answer.works) {
        *ret_why = arena_slice(round->arena, answer.complaint);
        return false;
    }
    *ret_command = command_make(round->arena, METHOD_CONSOLIDATION, list, &answer);
    if (!answer.claims.count)
        return true;
    if (answer.claims.count > 1) {
        *ret_why = arena_printf(round->arena, "Can't remove without creating %u candidates", answer.claims.count);
        return false;
    }
    claim = planned_claim_copy(round->arena, &answer.claims.items[0]);
    if (!classic_narrow(round, list, &claim, ret_why))
        return false;
    command_add_replacement(round->arena, ret_command, &claim);
    return true;
}
