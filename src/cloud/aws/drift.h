// Whether an instance differs from what its NodeClass says now, beyond what the hash covers. Reference aws.md 7.10.
//
// A pure comparison of facts; who asks fetches the instance, and asks again with a fresh one before a reservation
// counts as left.
#pragma once

#include "cloud/aws/ami/selection.h"
#include "model/objects.h"

// What EC2 says of the instance, and what its NodeClaim says. Texts that are unknown are empty.
typedef struct {
    Slice image_id, subnet_id;
    SliceVec security_groups;
    Slice reservation_id;        // of an instance of capacity type reserved, else empty
    Slice claim_placement_group; // label karpenter.k8s.aws/placement-group-id of the NodeClaim
} DriftInstance;

typedef struct {
    Slice claim_hash, claim_hash_version; // annotations of the NodeClaim; empty: absent
    Slice class_hash, class_hash_version; // of the NodeClass
} DriftHashes;

// Reason NodeClassDrift, or empty: hashes of one version that differ. Versions that differ, and annotations that are
// missing, say nothing. O(1).
Slice drift_by_hash(const DriftHashes *hashes);

// The first reason that holds of AMIDrift, SecurityGroupDrift, SubnetDrift, CapacityReservationDrift,
// PlacementGroupDrift; empty: none. `type`: of the instance. `placement_group`: the class's present one, empty: none.
// O(images + groups²). ERR_INVALID: the status has no images, subnets or security groups, which is no drift; the type
// has no image.
ErrCode drift_by_facts(Arena *arena, Symbols *symbols, const EC2NodeClass *class, const InstanceType *type,
                       const DriftInstance *instance, Slice placement_group, Slice *ret_reason, Err *err);
