// The binary search over prefixes.
#include "disrupt/multi_node.h"

#include "disrupt/classic.h"
#include "disrupt/replacement.h"
#include "disrupt/worth/balanced.h"

#include <math.h>

enum { NODES_MAX = 100 };

// What the cheapest of the nodes costs whose type the replacement may be again; INFINITY: of none it may.
static double cheapest_again(const PlannedClaim *claim, const CandidateList *list) {
    double least = INFINITY;

    for (vec_each(const DisruptionCandidate *, candidate, list)) {
        for (vec_each(const InstanceType *, type, &claim->types)) {
            if ((*type)->name == (*candidate)->type->name && (*candidate)->price_per_hour < least)
                least = (*candidate)->price_per_hour;
        }
    }
    return least;
}

// Not three nodes by one that is the smallest of them again: the other two could simply go. The types that are left
// must be as many as the pool wants.
static bool is_worth_replacing(Round *round, DisruptCommand *command, const CandidateList *list) {
    const Symbols *symbols = &round->facts->cluster->symbols;
    PlannedClaim *claim;

    if (!command->replacements.count)
        return true;
    claim = &command->replacements.items[0];
    replacement_keep_below(round->arena, symbols, claim, cheapest_again(claim, list));
    command_value(command);
    return claim->types.count > 0 &&
           replacement_meets_min_values(round->arena, symbols, claim, claim->types.count, NULL);
}

static CandidateList first_of(const CandidateList *list, uint32_t count) {
    return (CandidateList){.items = list->items, .count = count, .capacity = count};
}

// What the search knows of prefixes: the longest that may go, and the last that pools with scores refused.
typedef struct {
    CandidateList list;
    DisruptCommand command;
} Prefix;

static bool is_possible(Round *round, const CandidateList *list, DisruptCommand *ret_command) {
    Slice why;

    return classic_compute(round, list, ret_command, &why) && is_worth_replacing(round, ret_command, list);
}

// Counts the move that the search ended with; one that was refused counts only if there is none.
static void record(Round *round, const CandidateList *all, const Prefix *found, const Prefix *refused) {
    const Prefix *move = found->list.count ? found : refused;

    balanced_record(round, all, &move->list, move->command.saving_per_hour, move == found);
}

bool multi_node_find(Round *round, const CandidateList *candidates) {
    CandidateList within = round_within_budgets(round, candidates, METHOD_CONSOLIDATION);
    uint32_t low = 2, high = within.count < NODES_MAX ? within.count : NODES_MAX;
    Prefix found = {0}, refused = {0};

    while (low <= high && !round_is_cancelled(round)) {
        uint32_t count = (low + high) / 2;
        Prefix prefix = {.list = first_of(&within, count)};
        bool is_approved = is_possible(round, &prefix.list, &prefix.command);

        if (is_approved && !balanced_approves(round, candidates, &prefix.list, prefix.command.saving_per_hour)) {
            is_approved = false;
            refused = prefix;
        }
        if (is_approved) {
            found = prefix;
            low = count + 1;
        } else {
            high = count - 1;
        }
    }
    record(round, candidates, &found, &refused);
    if (found.list.count)
        round_take(round, &found.command);
    return found.list.count > 0;
}
