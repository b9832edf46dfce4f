// Which pod was planned for which NodeClaim: what the provisioner remembers between two plans.
//
// A pod is known from the first time it asks for a plan until it has a node or is gone; a claim from its creation until
// it is gone. A pod has at most one place: a claim that is on its way, or a node that stands. Process memory only.
// Memory: O(pods that wait + claims that are not gone), dead entries are swept out when they outnumber the others.
#pragma once

#include "base/vec.h"
#include "ctl/provision/launch_budget.h"

typedef struct {
    Symbol uid;     // of the pod; SYMBOL_EMPTY: a dead entry
    uint32_t claim; // number of its claim, or INDEX_NONE
    Mono placed;    // planned on a node that stands, then
    Mono told;      // when an event last said that it cannot be scheduled
    bool warned;    // the log has said that its preferences may prevent consolidation
} KnownPod;

typedef struct {
    bool used;   // false: a dead entry
    Symbol name; // SYMBOL_EMPTY until the API server has answered
    LaunchOffering offering;
    bool counted; // takes part in the launch budgets: created here, neither launched nor failed
    Mono created; // when it was intended; of another process' claim: never
    Mono ready;   // when it was seen initialised
    Mono gone;    // when it was seen going away. Its pods are remembered a while longer
    U32Vec pods;  // numbers of pods that were planned for it; theirs only while their `claim` says so
} KnownClaim;

typedef struct {
    Arena arena;
    IndexMap pod_of_uid, claim_of_name;
    Vec(KnownPod) pods;
    Vec(KnownClaim) claims;
    uint32_t dead_pods, dead_claims;
} ProvisionIndex;

void provision_index_free(ProvisionIndex *index);

// Number of the pod, INDEX_NONE: not known. Numbers hold until the next sweep. O(1) expected, as all below.
uint32_t provision_index_find_pod(const ProvisionIndex *index, Symbol uid);
uint32_t provision_index_add_pod(ProvisionIndex *index, Symbol uid); // finds or makes
void provision_index_forget_pod(ProvisionIndex *index, uint32_t pod);

uint32_t provision_index_find_claim(const ProvisionIndex *index, Symbol name);
// A claim without a name; provision_index_name_claim gives it one.
uint32_t provision_index_add_claim(ProvisionIndex *index, LaunchOffering offering, Mono created);
void provision_index_name_claim(ProvisionIndex *index, uint32_t claim, Symbol name);
// Its pods have no place any more; `pods` still says who they were.
void provision_index_clear_claim(ProvisionIndex *index, uint32_t claim);
void provision_index_forget_claim(ProvisionIndex *index, uint32_t claim);

// Gives a pod its place, instead of the one that it had.
void provision_index_place_on_claim(ProvisionIndex *index, uint32_t pod, uint32_t claim);
void provision_index_place_on_node(ProvisionIndex *index, uint32_t pod, Mono now);
void provision_index_unplace(ProvisionIndex *index, uint32_t pod);

// Sweeps dead entries out when there are more of them than of the others: numbers change. O(1) amortised.
void provision_index_sweep(ProvisionIndex *index);

static inline KnownPod *known_pod(const ProvisionIndex *index, uint32_t pod) {
    return &index->pods.items[pod];
}

static inline KnownClaim *known_claim(const ProvisionIndex *index, uint32_t claim) {
    return &index->claims.items[claim];
}
