// Narrows replacements.
#include "disrupt/fleet_replace.h"

#include "disrupt/replacement.h"

#include <math.h>

// Flexibility of spot for spot: of the offerings (a type in a zone) that the claim could be launched as, so large a
// part must be left below the price limit. A launch that has lost most of its choice would be interrupted sooner than
// the node it replaces, and the next pass would lose more of it. A share, not a number: a pool of few types is as
// flexible as its user wants it, and one of hundreds is not done with fifteen.
static const double SPOT_CHOICE_KEPT = 0.25;

typedef struct {
    Arena *arena;
    const Round *round;
    const Symbols *symbols;
    double factor; // price limit of a claim, as a multiple of its expected price
    bool all_spot; // all nodes that go are spot
} Narrowing;

static bool all_are_spot(const Round *round, const CandidateList *nodes) {
    for (vec_each(const DisruptionCandidate *, candidate, nodes)) {
        if (labels_get(&round->facts->nodes.items[(*candidate)->node].labels, NAME_CAPACITY_TYPE) != NAME_SPOT)
            return false;
    }
    return true;
}

static uint32_t count_spot(const Narrowing *narrowing, const PlannedClaim *claim) {
    uint32_t count = 0;

    for (vec_each(const InstanceType *, type, &claim->types)) {
        for (vec_each(const Offering, offering, &(*type)->offerings))
            count += offering->available && offering->capacity_type == NAME_SPOT &&
                     requirements_intersect(narrowing->symbols, &claim->requirements, &offering->requirements, NULL);
    }
    return count;
}

static bool meets_min_values(const Narrowing *narrowing, const PlannedClaim *claim) {
    return replacement_meets_min_values(narrowing->arena, narrowing->symbols, claim, claim->types.count, NULL);
}

static bool keep_cheaper(const Narrowing *narrowing, PlannedClaim *claim, double limit) {
    replacement_keep_below(narrowing->arena, narrowing->symbols, claim, limit);
    return claim->types.count && claim->offering && meets_min_values(narrowing, claim);
}

static bool keep_spot(const Narrowing *narrowing, PlannedClaim *claim, double limit) {
    uint32_t before;

    if (!narrowing->round->options->spot_to_spot)
        return false;
    replacement_exclude(narrowing->arena, narrowing->symbols, claim, NAME_ON_DEMAND);
    replacement_exclude(narrowing->arena, narrowing->symbols, claim, NAME_RESERVED);
    before = count_spot(narrowing, claim);
    return keep_cheaper(narrowing, claim, limit) && count_spot(narrowing, claim) >= SPOT_CHOICE_KEPT * before;
}

static bool keep_any(const Narrowing *narrowing, PlannedClaim *claim, double limit) {
    if (!keep_cheaper(narrowing, claim, limit))
        return false;
    if (replacement_may_be(narrowing->symbols, claim, NAME_SPOT) &&
        replacement_may_be(narrowing->symbols, claim, NAME_ON_DEMAND) &&
        claim->offering->capacity_type != NAME_ON_DEMAND)
        replacement_exclude(narrowing->arena, narrowing->symbols, claim, NAME_ON_DEMAND);
    return claim->offering && meets_min_values(narrowing, claim); // some types may have had on-demand alone
}

static bool narrow(const Narrowing *narrowing, PlannedClaim *claim) {
    double limit = claim->offering->price_per_hour * narrowing->factor;

    if (narrowing->all_spot && replacement_may_be(narrowing->symbols, claim, NAME_SPOT))
        return keep_spot(narrowing, claim, limit);
    return keep_any(narrowing, claim, limit);
}

static double price_of_nodes(const CandidateList *nodes) {
    double price = 0;

    for (vec_each(const DisruptionCandidate *, candidate, nodes))
        price += (*candidate)->price_per_hour;
    return price;
}

static double price_of_claims(const PlannedClaimVec *claims) {
    double price = 0;

    for (vec_each(const PlannedClaim, claim, claims))
        price += claim->offering->price_per_hour;
    return price;
}

bool fleet_replace(Arena *arena, const Round *round, const CandidateList *nodes, const PlannedClaimVec *claims,
                   PlannedClaimVec *ret_claims) {
    Narrowing narrowing = {.arena = arena,
                           .round = round,
                           .symbols = &round->facts->cluster->symbols,
                           .factor = price_of_nodes(nodes) / price_of_claims(claims),
                           .all_spot = all_are_spot(round, nodes)};

    *ret_claims = (PlannedClaimVec){0};
    for (vec_each(const PlannedClaim, claim, claims)) {
        vec_push(arena, ret_claims, planned_claim_copy(arena, claim));
        if (!narrow(&narrowing, vec_last(ret_claims)))
            return false;
    }
    return true;
}
