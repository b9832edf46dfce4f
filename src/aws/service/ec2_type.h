// EC2: instance types, and where they are offered. Reference aws.md 4.
#pragma once

#include "aws/protocol/operation.h"
#include "aws/service/ec2.h"

#define EC2_PROCESSOR_INFO(X, T)                                                                                       \
    X(T, STRINGS, supported_architectures, "supportedArchitectures")                                                   \
    X(T, REAL, sustained_clock_speed_in_ghz, "sustainedClockSpeedInGhz")                                               \
    X(T, STRINGS, supported_features, "supportedFeatures")                                                             \
    X(T, STRING, manufacturer, "manufacturer")
AWS_STRUCT(Ec2ProcessorInfo, EC2_PROCESSOR_INFO);

#define EC2_VCPU_INFO(X, T) X(T, INTEGER, default_vcpus, "defaultVCpus")
AWS_STRUCT(Ec2VCpuInfo, EC2_VCPU_INFO);

// Of a machine, or of one of its GPUs.
#define EC2_MEMORY_INFO(X, T) X(T, INTEGER, size_in_mib, "sizeInMiB")
AWS_STRUCT(Ec2MemoryInfo, EC2_MEMORY_INFO);

#define EC2_INSTANCE_STORAGE_INFO(X, T)                                                                                \
    X(T, INTEGER, total_size_in_gb, "totalSizeInGB")                                                                   \
    X(T, STRING, nvme_support, "nvmeSupport")
AWS_STRUCT(Ec2InstanceStorageInfo, EC2_INSTANCE_STORAGE_INFO);

#define EC2_EBS_OPTIMIZED_INFO(X, T) X(T, INTEGER, maximum_bandwidth_in_mbps, "maximumBandwidthInMbps")
AWS_STRUCT(Ec2EbsOptimizedInfo, EC2_EBS_OPTIMIZED_INFO);

#define EC2_EBS_INFO(X, T)                                                                                             \
    X(T, STRING, ebs_optimized_support, "ebsOptimizedSupport")                                                         \
    X(T, INTEGER, maximum_ebs_attachments, "maximumEbsAttachments")                                                    \
    X(T, STRING, attachment_limit_type, "attachmentLimitType")                                                         \
    X(T, STRUCTURE, ebs_optimized_info, "ebsOptimizedInfo", Ec2EbsOptimizedInfo)
AWS_STRUCT(Ec2EbsInfo, EC2_EBS_INFO);

#define EC2_NETWORK_CARD(X, T)                                                                                         \
    X(T, INTEGER, network_card_index, "networkCardIndex")                                                              \
    X(T, INTEGER, maximum_network_interfaces, "maximumNetworkInterfaces")
AWS_STRUCT(Ec2NetworkCard, EC2_NETWORK_CARD);

#define EC2_EFA_INFO(X, T) X(T, INTEGER, maximum_efa_interfaces, "maximumEfaInterfaces")
AWS_STRUCT(Ec2EfaInfo, EC2_EFA_INFO);

#define EC2_NETWORK_INFO(X, T)                                                                                         \
    X(T, INTEGER, default_network_card_index, "defaultNetworkCardIndex")                                               \
    X(T, LIST, network_cards, "networkCards", Ec2NetworkCard)                                                          \
    X(T, INTEGER, ipv4_addresses_per_interface, "ipv4AddressesPerInterface")                                           \
    X(T, STRING, ena_support, "enaSupport")                                                                            \
    X(T, STRUCTURE, efa_info, "efaInfo", Ec2EfaInfo)                                                                   \
    X(T, BOOL, encryption_in_transit_supported, "encryptionInTransitSupported")
AWS_STRUCT(Ec2NetworkInfo, EC2_NETWORK_INFO);

#define EC2_GPU_DEVICE(X, T)                                                                                           \
    X(T, STRING, name, "name")                                                                                         \
    X(T, STRING, manufacturer, "manufacturer")                                                                         \
    X(T, INTEGER, count, "count")                                                                                      \
    X(T, STRUCTURE, memory_info, "memoryInfo", Ec2MemoryInfo)
AWS_STRUCT(Ec2GpuDevice, EC2_GPU_DEVICE);

#define EC2_GPU_INFO(X, T) X(T, LIST, gpus, "gpus", Ec2GpuDevice)
AWS_STRUCT(Ec2GpuInfo, EC2_GPU_INFO);

#define EC2_INFERENCE_DEVICE(X, T)                                                                                     \
    X(T, STRING, name, "name")                                                                                         \
    X(T, STRING, manufacturer, "manufacturer")                                                                         \
    X(T, INTEGER, count, "count")
AWS_STRUCT(Ec2InferenceDevice, EC2_INFERENCE_DEVICE);

#define EC2_INFERENCE_ACCELERATOR_INFO(X, T) X(T, LIST, accelerators, "accelerators", Ec2InferenceDevice)
AWS_STRUCT(Ec2InferenceAcceleratorInfo, EC2_INFERENCE_ACCELERATOR_INFO);

#define EC2_NEURON_CORE_INFO(X, T) X(T, INTEGER, count, "count")
AWS_STRUCT(Ec2NeuronCoreInfo, EC2_NEURON_CORE_INFO);

#define EC2_NEURON_DEVICE(X, T)                                                                                        \
    X(T, STRING, name, "name")                                                                                         \
    X(T, INTEGER, count, "count")                                                                                      \
    X(T, STRUCTURE, core_info, "coreInfo", Ec2NeuronCoreInfo)
AWS_STRUCT(Ec2NeuronDevice, EC2_NEURON_DEVICE);

#define EC2_NEURON_INFO(X, T) X(T, LIST, neuron_devices, "neuronDevices", Ec2NeuronDevice)
AWS_STRUCT(Ec2NeuronInfo, EC2_NEURON_INFO);

#define EC2_PLACEMENT_GROUP_INFO(X, T) X(T, STRINGS, supported_strategies, "supportedStrategies")
AWS_STRUCT(Ec2PlacementGroupInfo, EC2_PLACEMENT_GROUP_INFO);

#define EC2_INSTANCE_TYPE(X, T)                                                                                        \
    X(T, STRING, instance_type, "instanceType")                                                                        \
    X(T, STRINGS, supported_usage_classes, "supportedUsageClasses")                                                    \
    X(T, STRUCTURE, processor_info, "processorInfo", Ec2ProcessorInfo)                                                 \
    X(T, STRUCTURE, vcpu_info, "vCpuInfo", Ec2VCpuInfo)                                                                \
    X(T, STRUCTURE, memory_info, "memoryInfo", Ec2MemoryInfo)                                                          \
    X(T, STRUCTURE, instance_storage_info, "instanceStorageInfo", Ec2InstanceStorageInfo)                              \
    X(T, STRUCTURE, ebs_info, "ebsInfo", Ec2EbsInfo)                                                                   \
    X(T, STRUCTURE, network_info, "networkInfo", Ec2NetworkInfo)                                                       \
    X(T, STRUCTURE, gpu_info, "gpuInfo", Ec2GpuInfo)                                                                   \
    X(T, STRUCTURE, inference_accelerator_info, "inferenceAcceleratorInfo", Ec2InferenceAcceleratorInfo)               \
    X(T, STRUCTURE, neuron_info, "neuronInfo", Ec2NeuronInfo)                                                          \
    X(T, STRUCTURE, placement_group_info, "placementGroupInfo", Ec2PlacementGroupInfo)                                 \
    X(T, STRING, hypervisor, "hypervisor")                                                                             \
    X(T, STRING, nitro_enclaves_support, "nitroEnclavesSupport")                                                       \
    X(T, BOOL, bare_metal, "bareMetal")
AWS_STRUCT(Ec2InstanceType, EC2_INSTANCE_TYPE);

#define EC2_DESCRIBE_INSTANCE_TYPES_INPUT(X, T)                                                                        \
    X(T, BOOL, dry_run, "DryRun")                                                                                      \
    X(T, STRINGS, instance_types, "InstanceType")                                                                      \
    X(T, LIST, filters, "Filter", Ec2Filter)                                                                           \
    X(T, INTEGER, max_results, "MaxResults")                                                                           \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(Ec2DescribeInstanceTypesInput, EC2_DESCRIBE_INSTANCE_TYPES_INPUT);

#define EC2_DESCRIBE_INSTANCE_TYPES_OUTPUT(X, T)                                                                       \
    X(T, LIST, instance_types, "instanceTypeSet", Ec2InstanceType)                                                     \
    X(T, STRING, next_token, "nextToken")
AWS_STRUCT(Ec2DescribeInstanceTypesOutput, EC2_DESCRIBE_INSTANCE_TYPES_OUTPUT);

// location: a zone, where the request asks for "availability-zone".
#define EC2_INSTANCE_TYPE_OFFERING(X, T)                                                                               \
    X(T, STRING, instance_type, "instanceType")                                                                        \
    X(T, STRING, location, "location")
AWS_STRUCT(Ec2InstanceTypeOffering, EC2_INSTANCE_TYPE_OFFERING);

#define EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS_INPUT(X, T)                                                               \
    X(T, STRING, location_type, "LocationType")                                                                        \
    X(T, LIST, filters, "Filter", Ec2Filter)                                                                           \
    X(T, INTEGER, max_results, "MaxResults")                                                                           \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(Ec2DescribeInstanceTypeOfferingsInput, EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS_INPUT);

#define EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS_OUTPUT(X, T)                                                              \
    X(T, LIST, instance_type_offerings, "instanceTypeOfferingSet", Ec2InstanceTypeOffering)                            \
    X(T, STRING, next_token, "nextToken")
AWS_STRUCT(Ec2DescribeInstanceTypeOfferingsOutput, EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS_OUTPUT);

// Pages of 5 to 100. With dry_run the fault DryRunOperation says that the call is allowed.
extern const AwsOperation ec2_describe_instance_types;
// Pages of 5 to 1000.
extern const AwsOperation ec2_describe_instance_type_offerings;
