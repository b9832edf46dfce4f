// Instance types that a NodePool with an EC2NodeClass can use in a region: labels, capacity, overhead and offerings
// from the catalogue's data, computed as Karpenter's AWS provider does.
//
// The list has every type that the region offers, with unavailable offerings too, sorted by name.
// Behaviour: reference aws.md 4.1 (type_labels.c), 4.2 (type_capacity.c), 4.3 (type_overhead.c), 4.4
// (type_offerings.c).
#pragma once

#include "cloud/aws/catalogue.h"
#include "model/instance_type.h"

// Settings of the provider (aws.md 9). EC2_TYPE_OPTIONS sets Karpenter's defaults; the region has no default.
typedef struct {
    Slice region;
    double
        vm_memory_overhead_percent; // VM_MEMORY_OVERHEAD_PERCENT: share of the memory that the hypervisor takes, 0 to 1
    int32_t reserved_enis;          // RESERVED_ENIS: network interfaces that the CNI does not use for pods
} Ec2TypeOptions;

#define EC2_TYPE_OPTIONS(region_name)                                                                                  \
    (Ec2TypeOptions) {                                                                                                 \
        .region = (region_name), .vm_memory_overhead_percent = 0.075                                                   \
    }

// Computes the types in `arena`. `node_class` NULL: AL2023 with nothing set, every zone of the region. O(types ×
// (labels + zones)); about 1,400 types. ERR_NOT_FOUND: no such region. ERR_INVALID: the EC2NodeClass has an unknown AMI
// family, a threshold or volume size that cannot be parsed, or subnets in none of the region's zones.
ErrCode ec2_instance_types(Arena *arena, Symbols *symbols, const Ec2Catalogue *catalogue, const Ec2TypeOptions *options,
                           const EC2NodeClass *node_class, InstanceTypeVec *ret_types, Err *err);
