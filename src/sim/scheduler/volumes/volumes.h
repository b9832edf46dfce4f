// The parts of the volume provisioner. Private to src/sim/scheduler.
#pragma once

#include "sim/scheduler/scheduler.h"
#include "sim/workloads/build.h"

typedef struct VolumeProvisioner VolumeProvisioner;

// A claim, by the index of its handle.
typedef struct {
    VolumeProvisioner *provisioner;
    Handle handle; // generation 0: none
    Symbol ns, name;
    bool due;
    Alarm alarm; // when its volume is there
} ClaimTicket;

struct VolumeProvisioner {
    World *world;
    const State *state;
    Symbols *symbols;
    Random random;
    int64_t latency_ns;
    Arena arena;               // of the tables
    Arena scratch;             // of one reaction
    Vec(ClaimTicket *) claims; // by the index of their handles
    U32Vec due, working;
    HandleVec pods, working_pods; // new ones with ephemeral volumes
    SymbolVec orphans;            // uids of claims that were removed, each followed by its volume
    uint32_t static_volumes;      // that somebody else made
};

static inline Slice provisioner_text(const VolumeProvisioner *provisioner, Symbol symbol) {
    return symbol_text(provisioner->symbols, symbol);
}

// scheduler/volumes/objects.c: what is written. `claim` is the object as the API server has it.

// Makes a volume for the claim and binds both. `zone`: NAME_EMPTY: usable everywhere.
void volume_provision(VolumeProvisioner *provisioner, const Value *claim, Symbol zone);
// Binds the claim to a volume that is there. False: the volume is another's.
bool volume_bind(VolumeProvisioner *provisioner, const Value *claim, Slice volume);
// The smallest volume without an owner that meets the claim, empty: none. O(volumes).
Slice volume_find_match(VolumeProvisioner *provisioner, const Value *claim);
// The claim is gone: its volume goes too, or is released, as its policy says.
void volume_reclaim(VolumeProvisioner *provisioner, Slice claim_uid, Slice volume);
// The claims of a pod's ephemeral volumes, owned by the pod.
void volume_claims_of_pod(VolumeProvisioner *provisioner, const Pod *pod);
