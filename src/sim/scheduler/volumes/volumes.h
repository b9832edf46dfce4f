// Internals of the volume provisioner. Private to src/sim/scheduler.
#pragma once

#include "sim/scheduler/scheduler.h"
#include "sim/workloads/build.h"

typedef struct VolumeProvisioner VolumeProvisioner;

// Ticket of a claim, by the index of its handle.
typedef struct {
    VolumeProvisioner *provisioner;
    Handle handle; // generation 0: none
    Symbol ns, name;
    bool due;
    Alarm alarm; // for the end of provisioning
} ClaimTicket;

struct VolumeProvisioner {
    World *world;
    const State *state;
    Symbols *symbols;
    Random random;
    int64_t latency_ns;
    Arena arena;               // of the tables
    Arena scratch;             // freed with each reaction
    Vec(ClaimTicket *) claims; // by the index of their handles
    U32Vec due, working;
    HandleVec pods, working_pods; // new pods with ephemeral volumes
    SymbolVec orphans;            // uids of removed claims, each followed by its volume's name
    uint32_t static_volumes;      // volumes that the provisioner did not make
};

static inline Slice provisioner_text(const VolumeProvisioner *provisioner, Symbol symbol) {
    return symbol_text(provisioner->symbols, symbol);
}

// scheduler/volumes/objects.c: writes. `claim` is the API object.

// Makes a volume for the claim and binds both. `zone` NAME_EMPTY: usable everywhere.
void volume_provision(VolumeProvisioner *provisioner, const Value *claim, Symbol zone);
// Binds the claim to an existing volume. False: the volume belongs to another claim.
bool volume_bind(VolumeProvisioner *provisioner, const Value *claim, Slice volume);
// The smallest volume without a claim that satisfies the claim; empty: none. O(volumes).
Slice volume_find_match(VolumeProvisioner *provisioner, const Value *claim);
// Handles a removed claim: its volume is deleted or released, by its reclaim policy.
void volume_reclaim(VolumeProvisioner *provisioner, Slice claim_uid, Slice volume);
// Creates the claims of a pod's ephemeral volumes, owned by the pod.
void volume_claims_of_pod(VolumeProvisioner *provisioner, const Pod *pod);
