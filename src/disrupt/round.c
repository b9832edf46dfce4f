// The common ground of a pass.
#include "disrupt/round.h"

#include "disrupt/eligible.h"
#include "disrupt/one_at_a_time.h"

#include <math.h>
#include <stdlib.h>

void round_open(Round *round, Arena *arena, const DisruptFacts *facts, const DisruptOptions *options,
                DisruptPass *ret_pass) {
    *ret_pass = (DisruptPass){.look_at_ns = INT64_MAX};
    *round = (Round){.arena = arena, .facts = facts, .options = options, .pass = ret_pass};
    round->node_pods = node_pods_make(arena, facts);
    round->whatif = whatif_make(arena, facts, options, &round->node_pods);
    round->budgets = pool_budgets_make(arena, facts);
    round->is_gone = arena_array(arena, bool, facts->nodes.count);
    round->is_held = arena_array(arena, bool, facts->nodes.count);
}

void round_close(Round *round) {
    whatif_free(round->whatif);
}

bool round_is_cancelled(const Round *round) {
    const atomic_bool *cancelled = round->options->search.cancelled;

    return cancelled && atomic_load(cancelled);
}

void round_look_again(Round *round, int64_t at_ns) {
    if (at_ns < round->pass->look_at_ns)
        round->pass->look_at_ns = at_ns;
}

// --- notes

void round_note_node(Round *round, uint32_t node, const char *reason, Slice text) {
    vec_push(round->arena, &round->pass->notes,
             (DisruptNote){.node = node, .reason = reason, .text = arena_slice(round->arena, text)});
}

void round_note_pool(Round *round, Symbol pool, const char *reason, Slice text) {
    vec_push(round->arena, &round->pass->notes,
             (DisruptNote){.node = INDEX_NONE, .pool = pool, .reason = reason, .text = text});
}

// Whoever is blocked for drift is so for the other methods, too; repair speaks of sick nodes alone.
static void note_blocked(Round *round, const DisruptionCandidateVec *candidates, DisruptionClass class) {
    if (round->has_candidates[DISRUPTION_GRACEFUL] || class == DISRUPTION_FORCEFUL)
        return;
    for (vec_each(const DisruptionCandidate, candidate, candidates)) {
        if (!candidate->blocked.len)
            continue;
        round_note_node(round, candidate->node, "DisruptionBlocked", candidate->blocked);
        round_look_again(round, node_pods_kept_until_ns(round->facts, &round->node_pods, candidate->node));
    }
}

static void note_budgets(Round *round, DisruptionReason reason) {
    if (round->noted >> reason & 1)
        return;
    round->noted |= 1U << reason;
    for (vec_each(const PoolBudgets, of_pool, &round->budgets)) {
        if (of_pool->nodes.total && !of_pool->allowed[reason])
            round_note_pool(round, of_pool->pool->meta.name, "DisruptionBlocked",
                            arena_printf(round->arena,
                                         "No allowed disruptions for disruption reason %s due to blocking budget",
                                         disruption_reason_words[reason]));
    }
}

// --- candidates

const DisruptionCandidateVec *round_all(Round *round, DisruptionClass class) {
    DisruptionCandidateVec *candidates = &round->candidates[class];
    bool has_careful = round->has_candidates[DISRUPTION_GRACEFUL];

    if (round->has_candidates[class])
        return candidates;
    *candidates = candidates_make(round->arena, round->facts, &round->node_pods, class,
                                  has_careful ? &round->candidates[DISRUPTION_GRACEFUL] : NULL);
    note_blocked(round, candidates, class);
    round->has_candidates[class] = true;
    return candidates;
}

CandidateList round_candidates(Round *round, DisruptMethod method) {
    const DisruptionCandidateVec *all = round_all(round, eligible_class(method));
    int64_t until_ns = INT64_MAX;
    bool waits = method != METHOD_REPAIR && round_old_is_busy(round, &until_ns);
    CandidateList list = {0};

    if (waits)
        round_look_again(round, until_ns);

    for (vec_each(const DisruptionCandidate, candidate, all)) {
        Slice why = {0};

        if (!candidate_is_open(candidate) || round->is_gone[candidate->node])
            continue;
        if (waits && candidate_is_old(round, candidate))
            continue;
        if (is_eligible(round, method, candidate, &why))
            vec_push(round->arena, &list, candidate);
        else if (why.len)
            round_note_node(round, candidate->node, "Unconsolidatable", why);
    }
    round->pass->eligible[method] = list.count;
    if (list.count)
        note_budgets(round, disrupt_method_reason(method));
    return list;
}

uint32_t round_budget(const Round *round, const DisruptionCandidate *candidate, DisruptMethod method) {
    return pool_budgets_left(&round->budgets, candidate->pool->pool->meta.name, disrupt_method_reason(method));
}

CandidateList round_within_budgets(Round *round, const CandidateList *list, DisruptMethod method) {
    PoolBudgetsVec budgets = {0};
    CandidateList kept = {0};

    for (vec_each(const PoolBudgets, of_pool, &round->budgets))
        vec_push(round->arena, &budgets, *of_pool);
    for (vec_each(const DisruptionCandidate *, candidate, list)) {
        Symbol pool = (*candidate)->pool->pool->meta.name;

        if (!pool_budgets_left(&budgets, pool, disrupt_method_reason(method))) {
            round->is_held_back = true;
            continue;
        }
        pool_budgets_take(&budgets, pool);
        vec_push(round->arena, &kept, *candidate);
    }
    return kept;
}

static int compare_savings(const void *a, const void *b) {
    const DisruptionCandidate *x = *(const DisruptionCandidate *const *)a, *y = *(const DisruptionCandidate *const *)b;
    double of_x = candidate_savings_ratio(x), of_y = candidate_savings_ratio(y);

    if (of_x != of_y)
        return of_x > of_y ? -1 : 1;
    return x->node < y->node ? -1 : 1;
}

void candidates_sort_by_savings(CandidateList *list) {
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare_savings);
}

U32Vec round_nodes(Arena *arena, const CandidateList *list) {
    U32Vec nodes = {0};

    for (vec_each(const DisruptionCandidate *, candidate, list))
        vec_push(arena, &nodes, (*candidate)->node);
    return nodes;
}

void round_ask(Round *round, const CandidateList *list, WhatifDestinations destinations, WhatifAnswer *ret_answer) {
    U32Vec nodes = round_nodes(round->arena, list);

    whatif_ask(round->whatif, &nodes, destinations, ret_answer);
    round->is_held_back |= ret_answer->is_unknown;
}

void round_ask_for_all(Round *round, const DisruptionCandidate *candidate, WhatifAnswer *ret_answer) {
    const BoundPods *pods = &round->node_pods.pods[candidate->node];

    whatif_ask_for_all(round->whatif, candidate->node, pods->items, pods->count, ret_answer);
    round->is_held_back |= ret_answer->is_unknown;
}

// --- commands

DisruptCommand command_make(Arena *arena, DisruptMethod method, const CandidateList *list, const WhatifAnswer *answer) {
    DisruptCommand command = {.method = method, .nodes = round_nodes(arena, list), .bound_ns = REPAIR_NO_BOUND};

    for (vec_each(const DisruptionCandidate *, candidate, list))
        command.price_per_hour += (*candidate)->price_per_hour;
    command.saving_per_hour = command.price_per_hour;
    if (!answer)
        return command;
    command.pods = answer->pods;
    for (vec_each(const uint32_t, node, &answer->destinations))
        vec_push(arena, &command.destinations, *node);
    for (vec_each(const Pod *const, pod, &answer->on_claims))
        vec_push(arena, &command.on_replacements, *pod);
    return command;
}

DisruptCommand command_make_replacing(Arena *arena, DisruptMethod method, const CandidateList *list,
                                      const WhatifAnswer *answer) {
    DisruptCommand command = command_make(arena, method, list, answer);

    for (vec_each(const PlannedClaim, claim, &answer->claims))
        command_add_replacement(arena, &command, claim);
    return command;
}

void command_add_replacement(Arena *arena, DisruptCommand *command, const PlannedClaim *claim) {
    vec_push(arena, &command->replacements, planned_claim_copy(arena, claim));
    command_value(command);
}

void command_value(DisruptCommand *command) {
    command->saving_per_hour = command->price_per_hour;
    for (vec_each(const PlannedClaim, claim, &command->replacements)) {
        if (claim->offering && !isnan(claim->offering->price_per_hour))
            command->saving_per_hour -= claim->offering->price_per_hour;
    }
}

void round_take(Round *round, const DisruptCommand *command) {
    vec_push(round->arena, &round->pass->commands, *command);
    round->found_wasteful |= command->method == METHOD_EMPTINESS || command->method == METHOD_CONSOLIDATION;
    for (vec_each(const uint32_t, node, &command->nodes)) {
        round->is_gone[*node] = true;
        pool_budgets_take(&round->budgets, round->facts->nodes.items[*node].pool);
    }
    whatif_remove(round->whatif, &command->nodes, &command->on_replacements);
}
