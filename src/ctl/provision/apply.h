// Carrying a plan out: what is known while it is done. For provision/apply.c (the pods, and nodes that are there) and
// provision/create.c (new claims).
#pragma once

#include "ctl/provision/claim.h"
#include "ctl/provision/parts.h"

// What this plan takes of a pool in addition to what the State knows.
typedef struct {
    Symbol pool;
    Resources more;
} PoolTake;

// Claims that were not made because of a launch budget.
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
    bool *invaded;     // per known claim before this plan
    uint32_t invaded_count;
    uint32_t unlaunched; // claims without an instance, with those that were made here
    ClaimRequirementValues values;
    Vec(PoolTake) takes;
    Vec(HeldBack) held;
    uint32_t placed; // fresh pods that got a place
    uint32_t new_claims, new_pods, unready_nodes, unready_pods;
} Apply;

static inline ProvisionIndex *index_of(const Apply *apply) {
    return &apply->provisioner->index;
}

// Whether the pod is to have a place by this plan: it has none, or the claim that it waits for was given away.
bool provision_wants_place(const Apply *apply, uint32_t pending);
// Makes the claim, if any of its pods needs it and limits and launch budgets allow.
void provision_make_claim(Apply *apply, const PlannedClaim *claim);
// Says which claims were held back.
void provision_report_held(Apply *apply);
