// EC2: launch templates. Reference aws.md 3.5.
#pragma once

#include "aws/protocol/operation.h"
#include "aws/service/ec2.h"

// volume_size: GiB.
#define EC2_EBS_BLOCK_DEVICE(X, T)                                                                                     \
    X(T, BOOL, delete_on_termination, "DeleteOnTermination")                                                           \
    X(T, BOOL, encrypted, "Encrypted")                                                                                 \
    X(T, INTEGER, iops, "Iops")                                                                                        \
    X(T, STRING, kms_key_id, "KmsKeyId")                                                                               \
    X(T, STRING, snapshot_id, "SnapshotId")                                                                            \
    X(T, INTEGER, throughput, "Throughput")                                                                            \
    X(T, INTEGER, volume_initialization_rate, "VolumeInitializationRate")                                              \
    X(T, INTEGER, volume_size, "VolumeSize")                                                                           \
    X(T, STRING, volume_type, "VolumeType")
AWS_STRUCT(Ec2EbsBlockDevice, EC2_EBS_BLOCK_DEVICE);

#define EC2_BLOCK_DEVICE_MAPPING(X, T)                                                                                 \
    X(T, STRING, device_name, "DeviceName")                                                                            \
    X(T, STRUCTURE, ebs, "Ebs", Ec2EbsBlockDevice)
AWS_STRUCT(Ec2BlockDeviceMapping, EC2_BLOCK_DEVICE_MAPPING);

// Seconds.
#define EC2_CONNECTION_TRACKING(X, T)                                                                                  \
    X(T, INTEGER, tcp_established_timeout, "TcpEstablishedTimeout")                                                    \
    X(T, INTEGER, udp_stream_timeout, "UdpStreamTimeout")                                                              \
    X(T, INTEGER, udp_timeout, "UdpTimeout")
AWS_STRUCT(Ec2ConnectionTracking, EC2_CONNECTION_TRACKING);

// A network interface that a launch makes.
#define EC2_NETWORK_INTERFACE_SPECIFICATION(X, T)                                                                      \
    X(T, INTEGER, device_index, "DeviceIndex")                                                                         \
    X(T, INTEGER, network_card_index, "NetworkCardIndex")                                                              \
    X(T, STRING, interface_type, "InterfaceType")                                                                      \
    X(T, STRING, subnet_id, "SubnetId")                                                                                \
    X(T, STRINGS, groups, "SecurityGroupId")                                                                           \
    X(T, BOOL, associate_public_ip_address, "AssociatePublicIpAddress")                                                \
    X(T, INTEGER, ipv4_prefix_count, "Ipv4PrefixCount")                                                                \
    X(T, INTEGER, ipv6_prefix_count, "Ipv6PrefixCount")                                                                \
    X(T, INTEGER, secondary_private_ip_address_count, "SecondaryPrivateIpAddressCount")                                \
    X(T, INTEGER, ipv6_address_count, "Ipv6AddressCount")                                                              \
    X(T, BOOL, primary_ipv6, "PrimaryIpv6")                                                                            \
    X(T, STRUCTURE, connection_tracking, "ConnectionTrackingSpecification", Ec2ConnectionTracking)
AWS_STRUCT(Ec2NetworkInterfaceSpecification, EC2_NETWORK_INTERFACE_SPECIFICATION);

#define EC2_IAM_INSTANCE_PROFILE(X, T) X(T, STRING, name, "Name")
AWS_STRUCT(Ec2IamInstanceProfile, EC2_IAM_INSTANCE_PROFILE);

#define EC2_ENABLED(X, T) X(T, BOOL, enabled, "Enabled")
AWS_STRUCT(Ec2Enabled, EC2_ENABLED);

#define EC2_METADATA_OPTIONS(X, T)                                                                                     \
    X(T, STRING, http_endpoint, "HttpEndpoint")                                                                        \
    X(T, STRING, http_protocol_ipv6, "HttpProtocolIpv6")                                                               \
    X(T, INTEGER, http_put_response_hop_limit, "HttpPutResponseHopLimit")                                              \
    X(T, STRING, http_tokens, "HttpTokens")                                                                            \
    X(T, STRING, instance_metadata_tags, "InstanceMetadataTags")
AWS_STRUCT(Ec2MetadataOptions, EC2_METADATA_OPTIONS);

#define EC2_LAUNCH_PLACEMENT(X, T)                                                                                     \
    X(T, STRING, tenancy, "Tenancy")                                                                                   \
    X(T, STRING, group_id, "GroupId")                                                                                  \
    X(T, INTEGER, partition_number, "PartitionNumber")
AWS_STRUCT(Ec2LaunchPlacement, EC2_LAUNCH_PLACEMENT);

#define EC2_CPU_OPTIONS(X, T) X(T, STRING, nested_virtualization, "NestedVirtualization")
AWS_STRUCT(Ec2CpuOptions, EC2_CPU_OPTIONS);

#define EC2_CAPACITY_RESERVATION_TARGET(X, T) X(T, STRING, capacity_reservation_id, "CapacityReservationId")
AWS_STRUCT(Ec2CapacityReservationTarget, EC2_CAPACITY_RESERVATION_TARGET);

#define EC2_CAPACITY_RESERVATION_SPECIFICATION(X, T)                                                                   \
    X(T, STRING, capacity_reservation_preference, "CapacityReservationPreference")                                     \
    X(T, STRUCTURE, capacity_reservation_target, "CapacityReservationTarget", Ec2CapacityReservationTarget)
AWS_STRUCT(Ec2CapacityReservationSpecification, EC2_CAPACITY_RESERVATION_SPECIFICATION);

#define EC2_INSTANCE_MARKET_OPTIONS(X, T) X(T, STRING, market_type, "MarketType")
AWS_STRUCT(Ec2InstanceMarketOptions, EC2_INSTANCE_MARKET_OPTIONS);

// user_data: base64.
#define EC2_LAUNCH_TEMPLATE_DATA(X, T)                                                                                 \
    X(T, STRING, image_id, "ImageId")                                                                                  \
    X(T, STRING, user_data, "UserData")                                                                                \
    X(T, STRUCTURE, iam_instance_profile, "IamInstanceProfile", Ec2IamInstanceProfile)                                 \
    X(T, LIST, block_device_mappings, "BlockDeviceMapping", Ec2BlockDeviceMapping)                                     \
    X(T, LIST, network_interfaces, "NetworkInterface", Ec2NetworkInterfaceSpecification)                               \
    X(T, STRUCTURE, monitoring, "Monitoring", Ec2Enabled)                                                              \
    X(T, STRUCTURE, metadata_options, "MetadataOptions", Ec2MetadataOptions)                                           \
    X(T, LIST, tag_specifications, "TagSpecification", Ec2TagSpecification)                                            \
    X(T, STRUCTURE, placement, "Placement", Ec2LaunchPlacement)                                                        \
    X(T, STRUCTURE, enclave_options, "EnclaveOptions", Ec2Enabled)                                                     \
    X(T, STRUCTURE, cpu_options, "CpuOptions", Ec2CpuOptions)                                                          \
    X(T, STRUCTURE, capacity_reservation_specification, "CapacityReservationSpecification",                            \
      Ec2CapacityReservationSpecification)                                                                             \
    X(T, STRUCTURE, instance_market_options, "InstanceMarketOptions", Ec2InstanceMarketOptions)
AWS_STRUCT(Ec2LaunchTemplateData, EC2_LAUNCH_TEMPLATE_DATA);

#define EC2_LAUNCH_TEMPLATE(X, T)                                                                                      \
    X(T, STRING, launch_template_id, "launchTemplateId")                                                               \
    X(T, STRING, launch_template_name, "launchTemplateName")
AWS_STRUCT(Ec2LaunchTemplate, EC2_LAUNCH_TEMPLATE);

#define EC2_CREATE_LAUNCH_TEMPLATE_INPUT(X, T)                                                                         \
    X(T, STRING, client_token, "ClientToken")                                                                          \
    X(T, STRING, launch_template_name, "LaunchTemplateName")                                                           \
    X(T, STRUCTURE, launch_template_data, "LaunchTemplateData", Ec2LaunchTemplateData)                                 \
    X(T, LIST, tag_specifications, "TagSpecification", Ec2TagSpecification)
AWS_STRUCT(Ec2CreateLaunchTemplateInput, EC2_CREATE_LAUNCH_TEMPLATE_INPUT);

#define EC2_CREATE_LAUNCH_TEMPLATE_OUTPUT(X, T) X(T, STRUCTURE, launch_template, "launchTemplate", Ec2LaunchTemplate)
AWS_STRUCT(Ec2CreateLaunchTemplateOutput, EC2_CREATE_LAUNCH_TEMPLATE_OUTPUT);

#define EC2_DESCRIBE_LAUNCH_TEMPLATES_INPUT(X, T)                                                                      \
    X(T, STRINGS, launch_template_ids, "LaunchTemplateId")                                                             \
    X(T, STRINGS, launch_template_names, "LaunchTemplateName")                                                         \
    X(T, LIST, filters, "Filter", Ec2Filter)                                                                           \
    X(T, INTEGER, max_results, "MaxResults")                                                                           \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(Ec2DescribeLaunchTemplatesInput, EC2_DESCRIBE_LAUNCH_TEMPLATES_INPUT);

#define EC2_DESCRIBE_LAUNCH_TEMPLATES_OUTPUT(X, T)                                                                     \
    X(T, LIST, launch_templates, "launchTemplates", Ec2LaunchTemplate)                                                 \
    X(T, STRING, next_token, "nextToken")
AWS_STRUCT(Ec2DescribeLaunchTemplatesOutput, EC2_DESCRIBE_LAUNCH_TEMPLATES_OUTPUT);

// Either of the two.
#define EC2_DELETE_LAUNCH_TEMPLATE_INPUT(X, T)                                                                         \
    X(T, STRING, launch_template_id, "LaunchTemplateId")                                                               \
    X(T, STRING, launch_template_name, "LaunchTemplateName")
AWS_STRUCT(Ec2DeleteLaunchTemplateInput, EC2_DELETE_LAUNCH_TEMPLATE_INPUT);

#define EC2_DELETE_LAUNCH_TEMPLATE_OUTPUT(X, T) X(T, STRUCTURE, launch_template, "launchTemplate", Ec2LaunchTemplate)
AWS_STRUCT(Ec2DeleteLaunchTemplateOutput, EC2_DELETE_LAUNCH_TEMPLATE_OUTPUT);

extern const AwsOperation ec2_create_launch_template;
// Pages of at most 200. A name that is unknown is the fault InvalidLaunchTemplateName.NotFoundException.
extern const AwsOperation ec2_describe_launch_templates;
extern const AwsOperation ec2_delete_launch_template;
