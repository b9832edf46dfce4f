// Volumes of pods: where they allow a pod to go, and how many a node can attach.
//
// Behaviour: reference scheduling.md 4.3; volume limits of instance types: changes.md 5.1.
#pragma once

#include "model/objects.h"

typedef Vec(Requirements) RequirementsVec;

// One attachment: counted once per node however many pods use the claim.
typedef struct {
    Symbol driver; // CSI driver
    Symbol claim;  // "ns/name"
} VolumeUse;
typedef Vec(VolumeUse) VolumeUseVec;

typedef struct {
    RequirementsVec alternatives; // OR-ed; empty: the volumes constrain nothing
    VolumeUseVec uses;            // distinct, sorted by the symbols of driver, then claim
} PodVolumes;

// Lookup tables over a cluster's volume objects.
typedef struct VolumeIndex VolumeIndex;
VolumeIndex *volume_index_make(Arena *arena, Cluster *cluster);

// Resolves the claims of a pod. O(volumes × terms; the product of terms of all volumes, at most 1,000).
// ERR_INVALID with Karpenter's text of scheduling.md 4.1 when a claim cannot be planned for (missing, lost, immediate
// and unbound, …), or when the volumes are in different places or allow more alternatives than that.
ErrCode pod_volumes_resolve(Arena *arena, VolumeIndex *index, const Pod *pod, PodVolumes *ret_volumes, Err *err);
// Only the uses, for bound pods; what cannot be resolved is left out.
VolumeUseVec pod_volume_uses(Arena *arena, VolumeIndex *index, const Pod *pod);
