// Internals of the computation of instance types, shared by its files: AWS labels and resources as symbols, and the
// context of one computation. Private to src/cloud/aws.
#pragma once

#include "cloud/aws/ami_family.h"
#include "cloud/aws/instance_types.h"

// Labels that Karpenter's AWS provider adds to the core ones. Every type has a requirement on each: aws.md 4.1.
#define EC2_LABELS(X)                                                                                                  \
    X(CATEGORY, "karpenter.k8s.aws/instance-category")                                                                 \
    X(GENERATION, "karpenter.k8s.aws/instance-generation")                                                             \
    X(FAMILY, "karpenter.k8s.aws/instance-family")                                                                     \
    X(SIZE, "karpenter.k8s.aws/instance-size")                                                                         \
    X(CAPABILITY_FLEX, "karpenter.k8s.aws/instance-capability-flex")                                                   \
    X(CPU, "karpenter.k8s.aws/instance-cpu")                                                                           \
    X(CPU_MANUFACTURER, "karpenter.k8s.aws/instance-cpu-manufacturer")                                                 \
    X(CPU_CLOCK_SPEED, "karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz")                                     \
    X(MEMORY, "karpenter.k8s.aws/instance-memory")                                                                     \
    X(EBS_BANDWIDTH, "karpenter.k8s.aws/instance-ebs-bandwidth")                                                       \
    X(NETWORK_BANDWIDTH, "karpenter.k8s.aws/instance-network-bandwidth")                                               \
    X(LOCAL_NVME, "karpenter.k8s.aws/instance-local-nvme")                                                             \
    X(GPU_NAME, "karpenter.k8s.aws/instance-gpu-name")                                                                 \
    X(GPU_MANUFACTURER, "karpenter.k8s.aws/instance-gpu-manufacturer")                                                 \
    X(GPU_COUNT, "karpenter.k8s.aws/instance-gpu-count")                                                               \
    X(GPU_MEMORY, "karpenter.k8s.aws/instance-gpu-memory")                                                             \
    X(ACCELERATOR_NAME, "karpenter.k8s.aws/instance-accelerator-name")                                                 \
    X(ACCELERATOR_MANUFACTURER, "karpenter.k8s.aws/instance-accelerator-manufacturer")                                 \
    X(ACCELERATOR_COUNT, "karpenter.k8s.aws/instance-accelerator-count")                                               \
    X(HYPERVISOR, "karpenter.k8s.aws/instance-hypervisor")                                                             \
    X(ENCRYPTION_IN_TRANSIT, "karpenter.k8s.aws/instance-encryption-in-transit-supported")                             \
    X(TENANCY, "karpenter.k8s.aws/instance-tenancy")                                                                   \
    X(RESERVATION_TYPE, "karpenter.k8s.aws/capacity-reservation-type")                                                 \
    X(RESERVATION_INTERRUPTIBLE, "karpenter.k8s.aws/capacity-reservation-interruptible")

enum {
#define X(name, text) EC2_LABEL_##name,
    EC2_LABELS(X)
#undef X
        EC2_LABEL_COUNT
};

// Extended resources: aws.md 4.2.
#define EC2_RESOURCES(X)                                                                                               \
    X(POD_ENI, "vpc.amazonaws.com/pod-eni")                                                                            \
    X(NVIDIA_GPU, "nvidia.com/gpu")                                                                                    \
    X(AMD_GPU, "amd.com/gpu")                                                                                          \
    X(GAUDI, "habana.ai/gaudi")                                                                                        \
    X(NEURON, "aws.amazon.com/neuron")                                                                                 \
    X(NEURON_CORE, "aws.amazon.com/neuroncore")                                                                        \
    X(EFA, "vpc.amazonaws.com/efa")                                                                                    \
    X(PRIVATE_IPV4, "vpc.amazonaws.com/PrivateIPv4Address")

enum {
#define X(name, text) EC2_RESOURCE_##name,
    EC2_RESOURCES(X)
#undef X
        EC2_RESOURCE_COUNT
};

enum { EC2_CAPACITY_TYPES = 2 }; // on-demand, spot: every zone has an offering of each

// Context of one call of ec2_instance_types: everything that is the same for all types.
typedef struct {
    Arena *arena;
    Symbols *symbols;
    const Ec2Catalogue *catalogue;
    const Ec2TypeOptions *options;
    const EC2NodeClass *node_class; // never NULL
    const AmiFamily *family;
    const Ec2Region *region;
    Symbol labels[EC2_LABEL_COUNT];
    Symbol resources[EC2_RESOURCE_COUNT];
    Symbol ebs_driver;
    Symbol zones[EC2_ZONES_MAX], zone_ids[EC2_ZONES_MAX]; // of region->zones
    uint32_t usable_zones;                                // bit set: zones with a subnet
    Requirements offerings[EC2_ZONES_MAX][EC2_CAPACITY_TYPES];
    uint32_t efa_only_interfaces, efa_only_on_first_card; // of spec.networkInterfaces
    int64_t storage_bytes;                                // of the block devices in spec.blockDeviceMappings
} TypeContext;
