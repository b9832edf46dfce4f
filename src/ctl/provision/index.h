// ProvisionIndex: which pod was planned for which NodeClaim. The provisioner's memory between two plans.
//
// A pod is in the index from the first time it asks for a plan until it is bound or gone; a claim from its creation
// until it is gone. A pod has at most one place: a claim that is on its way, or a node that exists. Memory: O(pods that
// wait + claims that are not gone); dead entries are swept when they outnumber the live ones.
#pragma once

#include "base/vec.h"
#include "ctl/provision/launch_budget.h"

typedef struct {
    Symbol uid;            // of the pod; SYMBOL_EMPTY: a dead entry
    uint32_t claim;        // number of its claim, or INDEX_NONE
    Mono placed;           // when the pod was planned on a node that exists
    Mono told;             // when the last event said that the pod cannot be scheduled
    bool warned;           // the log has warned that its preferences may prevent consolidation
    uint32_t given_up;     // the preferred rules that an event said it does without, bits of WeighedRule
    Mono aside;            // planning it takes too long: when it is tried alone. {0}: it is planned with the others
    int64_t aside_rest_ns; // how long was waited for that
} KnownPod;

typedef struct {
    bool used;   // false: a dead entry
    Symbol name; // SYMBOL_EMPTY until the API server has answered
    LaunchOffering offering;
    bool counted; // counts in the launch budgets: created here, neither launched nor failed
    Mono created; // when its creation was intended; unset: created by another process
    Mono ready;   // when it was first seen initialized
    Mono gone;    // when it was first seen deleting; its pods are remembered for a while longer
    U32Vec pods;  // numbers of the pods that were planned for it; a pod belongs to it while KnownPod.claim says so
} KnownClaim;

typedef struct {
    Arena arena;
    IndexMap pod_of_uid, claim_of_name;
    Vec(KnownPod) pods;
    Vec(KnownClaim) claims;
    uint32_t dead_pods, dead_claims;
} ProvisionIndex;

void provision_index_free(ProvisionIndex *index);

// Number of the pod; INDEX_NONE: unknown. Numbers are valid until the next sweep. O(1) expected, as all below.
uint32_t provision_index_find_pod(const ProvisionIndex *index, Symbol uid);
uint32_t provision_index_add_pod(ProvisionIndex *index, Symbol uid); // adds an unknown one
void provision_index_forget_pod(ProvisionIndex *index, uint32_t pod);

uint32_t provision_index_find_claim(const ProvisionIndex *index, Symbol name);
// Adds a claim without a name; provision_index_name_claim names it.
uint32_t provision_index_add_claim(ProvisionIndex *index, LaunchOffering offering, Mono created);
void provision_index_name_claim(ProvisionIndex *index, uint32_t claim, Symbol name);
// Takes the place away from all pods of the claim; `pods` still lists them.
void provision_index_clear_claim(ProvisionIndex *index, uint32_t claim);
void provision_index_forget_claim(ProvisionIndex *index, uint32_t claim);

// Sets the place of a pod; the place it had is forgotten.
void provision_index_place_on_claim(ProvisionIndex *index, uint32_t pod, uint32_t claim);
void provision_index_place_on_node(ProvisionIndex *index, uint32_t pod, Mono now);
void provision_index_unplace(ProvisionIndex *index, uint32_t pod);

// Removes dead entries when they outnumber the live ones: numbers change. O(1) amortised.
void provision_index_sweep(ProvisionIndex *index);

static inline KnownPod *known_pod(const ProvisionIndex *index, uint32_t pod) {
    return &index->pods.items[pod];
}

static inline KnownClaim *known_claim(const ProvisionIndex *index, uint32_t claim) {
    return &index->claims.items[claim];
}
