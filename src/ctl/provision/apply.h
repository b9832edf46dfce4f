// Apply: carrying a plan out, and what is known meanwhile. Shared by provision/apply.c (pods, and nodes that exist) and
// provision/create.c (new NodeClaims).
#pragma once

#include "ctl/provision/claim.h"
#include "ctl/provision/parts.h"

// What a pool has at most, with what this plan takes of it.
typedef struct {
    Symbol pool;
    Resources usage;
} PoolTake;

// NodeClaims of the plan that a launch budget did not allow.
typedef struct {
    LaunchOffering offering;
    LaunchVerdict verdict;
    Mono until;
    uint32_t count;
} HeldBack;

typedef struct {
    Provisioner *provisioner;
    Turn *turn;
    const Solved *solved;
    uint32_t *numbers; // per pending pod: its number in the index; INDEX_NONE: it needs no place any more
    bool *fresh;       // per pending pod: it has no place
    bool *invaded;     // per known claim before this plan: the plan filled it with other pods
    uint32_t invaded_count;
    uint32_t unlaunched; // claims without an instance, including those created here
    ClaimRequirementValues values;
    Vec(PoolTake) takes;
    Vec(HeldBack) held;
    uint32_t placed; // pods without a place that got one
    ComputedCounts computed;
} Apply;

static inline ProvisionIndex *index_of(const Apply *apply) {
    return &apply->provisioner->index;
}

// --- provision/create.c

// Whether the plan may give the pod a place: it has none, or the plan gave the claim that it waits for to other pods.
bool provision_wants_place(const Apply *apply, uint32_t pending);
// Creates the NodeClaim if any of its pods needs it, and limits and launch budgets allow it.
void provision_make_claim(Apply *apply, const PlannedClaim *claim);
// Logs the claims that launch budgets held back.
void provision_report_held(Apply *apply);

// --- provision/given_up.c

// Says on the pods that the plan gives a place which preferred rules they do without, and what keeping them would have
// cost (--preference-policy Weigh). A pod is told when that changes; not too many by one plan, and some of each group.
// O(pods with preferred rules). To be called before places are given.
void provision_report_given_up(Apply *apply);
