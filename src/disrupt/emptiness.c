// Nodes that nobody needs.
#include "disrupt/emptiness.h"

// Nodes without pods that need another place, or those with such pods.
static CandidateList part_of(Round *round, const CandidateList *list, bool has_pods) {
    CandidateList part = {0};

    for (vec_each(const DisruptionCandidate *, candidate, list)) {
        if ((whatif_pods_on(round->whatif, (*candidate)->node) > 0) == has_pods)
            vec_push(round->arena, &part, *candidate);
    }
    return part;
}

// Without the nodes that pods on their way would be missing: their places may have been made for them.
static CandidateList not_awaited(Round *round, const CandidateList *list) {
    const bool *is_awaited = list->count ? whatif_awaited(round->whatif, round->arena) : NULL;
    CandidateList kept = {0};

    for (vec_each(const DisruptionCandidate *, candidate, list)) {
        if (!is_awaited[(*candidate)->node])
            vec_push(round->arena, &kept, *candidate);
    }
    return kept;
}

// Unlike Karpenter's, which lets pods go that cost nothing to move wherever they may find a place.
static bool pods_have_room(Round *round, const CandidateList *list) {
    WhatifAnswer answer;

    round_ask(round, list, DESTINATIONS_ALL, &answer);
    return answer.works && !answer.claims.count;
}

CandidateList emptiness_choose(Round *round, const CandidateList *list) {
    CandidateList bare = part_of(round, list, false), others = part_of(round, list, true), chosen;

    bare = not_awaited(round, &bare);
    candidates_sort_by_savings(&bare);
    candidates_sort_by_savings(&others);
    chosen = round_within_budgets(round, &bare, METHOD_EMPTINESS);
    for (vec_each(const DisruptionCandidate *, candidate, &others)) {
        CandidateList with = {0}, kept;

        for (vec_each(const DisruptionCandidate *, earlier, &chosen))
            vec_push(round->arena, &with, *earlier);
        vec_push(round->arena, &with, *candidate);
        kept = round_within_budgets(round, &with, METHOD_EMPTINESS);
        if (kept.count == with.count && pods_have_room(round, &with))
            chosen = with;
    }
    return chosen;
}

DisruptCommand emptiness_command(Round *round, const CandidateList *chosen) {
    WhatifAnswer answer = {0};

    if (part_of(round, chosen, true).count)
        round_ask(round, chosen, DESTINATIONS_ALL, &answer);
    return command_make(round->arena, METHOD_EMPTINESS, chosen, &answer);
}

void emptiness_find(Round *round) {
    CandidateList candidates = round_candidates(round, METHOD_EMPTINESS);
    CandidateList chosen = emptiness_choose(round, &candidates);
    DisruptCommand command;

    if (!chosen.count)
        return;
    command = emptiness_command(round, &chosen);
    round_take(round, &command);
}
