// Nodes whose time has come, or is near.
#include "disrupt/expiration.h"

#include "base/time.h"
#include "text/duration.h"

#include <stdlib.h>

int64_t expiration_at_ns(const NodeClaim *claim, const Symbols *symbols, uint32_t jitter_percent) {
    const int64_t most_ns = EXPIRATION_JITTER_MAX_H * NS_PER_HOUR;
    int64_t at_ns, after_ns = claim->spec.expire_after_ns, span_ns;

    if (after_ns == DURATION_NEVER || __builtin_add_overflow(claim->meta.created_ns, after_ns, &at_ns))
        return INT64_MAX;
    span_ns = after_ns > 0 ? after_ns / 100 * jitter_percent : 0;
    if (span_ns > most_ns)
        span_ns = most_ns;
    return span_ns ? at_ns - (int64_t)(slice_hash(symbol_text(symbols, claim->meta.uid)) % (uint64_t)span_ns) : at_ns;
}

// --- new nodes before the time

typedef struct {
    const DisruptionCandidate *candidate;
    int64_t at_ns;
} Expiring;
typedef Vec(Expiring) ExpiringVec;

static int compare_time(const void *a, const void *b) {
    const Expiring *x = a, *y = b;

    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return x->candidate->node < y->candidate->node ? -1 : 1;
}

// When the new node of a claim is to be launched; INT64_MAX: never.
static int64_t starts_at_ns(const Round *round, const NodeClaim *claim, int64_t at_ns) {
    int64_t lead_ns = round->options->expiration_lead_ns;

    if (at_ns == INT64_MAX || at_ns <= round->facts->wall_ns)
        return INT64_MAX; // or it goes now
    if (lead_ns > claim->spec.expire_after_ns / EXPIRATION_LEAD_PARTS)
        lead_ns = claim->spec.expire_after_ns / EXPIRATION_LEAD_PARTS;
    return at_ns - lead_ns;
}

// Whether the node is to be looked at now. If later the round is told when.
static bool is_near(Round *round, uint32_t node, int64_t *ret_at_ns) {
    const NodeView *view = &round->facts->nodes.items[node];
    int64_t from_ns;

    if (!view->claim || !view->node || view->claim->meta.deleting)
        return false;
    *ret_at_ns =
        expiration_at_ns(view->claim, &round->facts->cluster->symbols, round->options->expiration_jitter_percent);
    from_ns = starts_at_ns(round, view->claim, *ret_at_ns);
    if (from_ns > round->facts->wall_ns) {
        round_look_again(round, from_ns);
        return false;
    }
    return true;
}

static bool any_is_near(Round *round) {
    bool found = false;
    int64_t at_ns;

    for (uint32_t i = 0; i < round->facts->nodes.count; i++)
        found |= is_near(round, i, &at_ns);
    return found;
}

static ExpiringVec collect(Round *round) {
    const DisruptionCandidateVec *all = round_all(round, DISRUPTION_FORCEFUL);
    ExpiringVec expiring = {0};

    for (vec_each(const DisruptionCandidate, candidate, all)) {
        int64_t at_ns;

        if (candidate_is_open(candidate) && !candidate->pool->pool->is_static &&
            is_near(round, candidate->node, &at_ns))
            vec_push(round->arena, &expiring, (Expiring){candidate, at_ns});
    }
    if (expiring.count)
        qsort(expiring.items, expiring.count, sizeof *expiring.items, compare_time);
    return expiring;
}

// Where the pods have room on other nodes, or find none at all, the node's end needs no preparation.
static bool prepare(Round *round, const DisruptionCandidate *candidate) {
    CandidateList alone = {0};
    WhatifAnswer answer;
    DisruptCommand command;

    vec_push(round->arena, &alone, candidate);
    round_ask_for_all(round, candidate, &answer);
    if (!answer.works || !answer.claims.count)
        return false;
    command = command_make_replacing(round->arena, METHOD_EXPIRATION, &alone, &answer);
    round_take(round, &command);
    return true;
}

void expiration_find(Round *round) {
    uint32_t found = 0;
    ExpiringVec expiring;

    if (!round->options->expiration_lead_ns || !any_is_near(round))
        return;
    expiring = collect(round);
    round->pass->eligible[METHOD_EXPIRATION] = expiring.count;
    for (uint32_t i = 0; i < expiring.count && i < EXPIRATION_TRIES_MAX && found < EXPIRATION_COMMANDS_MAX; i++) {
        if (round_is_cancelled(round))
            return;
        found += prepare(round, expiring.items[i].candidate);
    }
}
