// One node after the other.
#include "disrupt/single_node.h"

#include "disrupt/classic.h"
#include "disrupt/worth/balanced.h"

#include <stdlib.h>

// A candidate, its pool, and how many of the pool come before it.
typedef struct {
    const DisruptionCandidate *candidate;
    uint32_t turn;
} Turned;

static uint32_t pool_number(const Round *round, const DisruptionCandidate *candidate) {
    return (uint32_t)(candidate->pool - round->facts->pools.items);
}

static int compare_turns(const void *a, const void *b, void *symbols) {
    const Turned *x = a, *y = b;

    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    return symbol_cmp(symbols, x->candidate->pool->pool->meta.name, y->candidate->pool->pool->meta.name);
}

// The first of each pool in the order of the pools' names, then the second of each, …
static CandidateList by_turns(Round *round, const CandidateList *candidates) {
    uint32_t *counts = arena_array(round->arena, uint32_t, round->facts->pools.count);
    Turned *turned = arena_array(round->arena, Turned, candidates->count);
    CandidateList ordered = {0};

    for (uint32_t i = 0; i < candidates->count; i++)
        turned[i] = (Turned){candidates->items[i], counts[pool_number(round, candidates->items[i])]++};
    if (candidates->count)
        qsort_r(turned, candidates->count, sizeof *turned, compare_turns, &round->facts->cluster->symbols);
    for (uint32_t i = 0; i < candidates->count; i++)
        vec_push(round->arena, &ordered, turned[i].candidate);
    return ordered;
}

static bool try_node(Round *round, const CandidateList *all, const DisruptionCandidate *candidate) {
    CandidateList alone = {0};
    DisruptCommand command;
    bool is_approved;
    Slice why;

    vec_push(round->arena, &alone, candidate);
    if (!balanced_approves(round, all, &alone, candidate->price_per_hour)) // not even if it could simply go
        return false;
    if (!classic_compute(round, &alone, &command, &why)) {
        if (why.len)
            round_note_node(round, candidate->node, "Unconsolidatable", why);
        return false;
    }
    is_approved = balanced_approves(round, all, &alone, command.saving_per_hour);
    balanced_record(round, all, &alone, command.saving_per_hour, is_approved);
    if (is_approved)
        round_take(round, &command);
    return is_approved;
}

bool single_node_find(Round *round, const CandidateList *candidates) {
    CandidateList ordered = by_turns(round, candidates);

    for (vec_each(const DisruptionCandidate *, candidate, &ordered)) {
        if (round_is_cancelled(round))
            return false;
        if (!round_budget(round, *candidate, METHOD_CONSOLIDATION))
            round->is_held_back = true;
        else if (try_node(round, candidates, *candidate))
            return true;
    }
    return false;
}
