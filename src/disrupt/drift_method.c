// Replacing drifted nodes.
#include "disrupt/drift_method.h"

#include "disrupt/one_at_a_time.h"
#include "model/pool_name.h"

#include <stdlib.h>

static int64_t drifted_since(const Round *round, const DisruptionCandidate *candidate) {
    const NodeView *view = &round->facts->nodes.items[candidate->node];
    const Condition *drifted =
        condition_get(&view->claim->conditions, &round->facts->cluster->symbols, SLICE("Drifted"));

    return drifted ? drifted->transition_ns : 0;
}

static int compare_age(const void *a, const void *b, void *context) {
    const DisruptionCandidate *x = *(const DisruptionCandidate *const *)a, *y = *(const DisruptionCandidate *const *)b;
    const Round *round = context;
    bool x_has = whatif_pods_on(round->whatif, x->node) > 0, y_has = whatif_pods_on(round->whatif, y->node) > 0;
    int64_t of_x = drifted_since(round, x), of_y = drifted_since(round, y);

    if (x_has != y_has)
        return x_has ? 1 : -1;
    if (of_x != of_y)
        return of_x < of_y ? -1 : 1;
    return x->node < y->node ? -1 : 1;
}

static bool replace(Round *round, const DisruptionCandidate *candidate) {
    CandidateList alone = {0};
    WhatifAnswer answer;
    DisruptCommand command;

    vec_push(round->arena, &alone, candidate);
    round_ask(round, &alone, DESTINATIONS_ALL, &answer);
    if (!answer.works) {
        if (answer.complaint.len)
            round_note_node(round, candidate->node, "DisruptionBlocked", answer.complaint);
        return false;
    }
    command = command_make_replacing(round->arena, METHOD_DRIFT, &alone, &answer);
    round_take(round, &command);
    return true;
}

static void find_among(Round *round, bool old) {
    CandidateList candidates = round_candidates(round, METHOD_DRIFT);

    if (candidates.count)
        qsort_r(candidates.items, candidates.count, sizeof *candidates.items, compare_age, round);
    for (vec_each(const DisruptionCandidate *, candidate, &candidates)) {
        if (candidate_is_old(round, *candidate) == old && round_budget(round, *candidate, METHOD_DRIFT) &&
            replace(round, *candidate))
            return;
    }
}

static bool any_is_old(const Round *round) {
    for (vec_each(const PlanPool, pool, &round->facts->pools)) {
        if (pool_is_provisioner(&round->facts->cluster->symbols, pool->pool->meta.name))
            return true;
    }
    return false;
}

void drift_find_old(Round *round) {
    if (any_is_old(round))
        find_among(round, true);
}

void drift_find(Round *round) {
    find_among(round, false);
}
