// Volumes of pods: the nodes that they allow, and their attachments.
//
// Behaviour: reference scheduling.md 4.3; volume limits of instance types: changes.md 5.1.
#pragma once

#include "model/objects.h"

typedef Vec(Requirements) RequirementsVec;

// One attachment; counted once per node, however many pods there use the claim.
typedef struct {
    Symbol driver; // CSI driver
    Symbol claim;  // "ns/name"
} VolumeUse;
typedef Vec(VolumeUse) VolumeUseVec;

typedef struct {
    RequirementsVec alternatives; // OR-ed; empty: the volumes constrain nothing
    VolumeUseVec uses;            // distinct, sorted by the symbols of driver, then claim
} PodVolumes;

// Lookup tables over a cluster's volume objects. Lives in the arena; the cluster must outlive it.
typedef struct VolumeIndex VolumeIndex;
// O(volumes + claims + classes + nodes + pods).
VolumeIndex *volume_index_make(Arena *arena, Cluster *cluster);

// Resolves the volume claims of a pod. ERR_INVALID with Karpenter's text of scheduling.md 4.1 when a claim cannot be
// planned for (missing, lost, unbound with immediate binding, …), when the volumes are in different places, or when
// they have more than VOLUME_ALTERNATIVES_MAX alternatives. O(volumes × terms + alternatives).
ErrCode pod_volumes_resolve(Arena *arena, VolumeIndex *index, const Pod *pod, PodVolumes *ret_volumes, Err *err);
// The attachments alone, for bound pods; volumes that cannot be resolved are left out.
VolumeUseVec pod_volume_uses(Arena *arena, VolumeIndex *index, const Pod *pod);
