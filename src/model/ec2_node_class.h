// EC2NodeClass: how machines are made in EC2, as its spec says, and what its status says was found.
//
// The members of the API (karpenter.k8s.aws/v1) but those of spec.kubelet, which is kept as it was written: its fields
// are the kubelet's. A text that is absent is empty; the API refuses empty ones where that would matter. Reference
// aws.md 1.1, 1.2; changes.md 7. Included by objects.h, which has the struct of the whole object.
#pragma once

#include "model/labels.h"
#include "model/requirement.h"
#include "model/resources.h"
#include "text/value.h"

// A tag, or an entry of another map of texts, in the order of the object.
typedef struct {
    Slice key, value;
} TextEntry;
typedef Vec(TextEntry) TextEntryVec;

// A number that can be absent.
typedef struct {
    int64_t value;
    bool has;
} OptionalInt;

// true, false or absent.
typedef struct {
    bool value, has;
} OptionalBool;

// A term of a selector; what it has depends on what it selects. Terms are alternatives; what a term has must all fit.
typedef struct {
    TextEntryVec tags; // the value "*": the key must be there
    Slice id;
    Slice name;           // security groups, images
    Slice alias;          // images: "al2023@latest"
    Slice owner;          // images: an account, "self", "amazon"
    Slice ssm_parameter;  // images
    Slice owner_id;       // capacity reservations
    Slice match_criteria; // capacity reservations: "open", "targeted"
} Ec2SelectorTerm;
typedef Vec(Ec2SelectorTerm) Ec2SelectorTermVec;

// spec.placementGroupSelector: one of the two; both empty: none.
typedef struct {
    Slice name, id;
} PlacementGroupSelector;

// spec.blockDeviceMappings[]; the members behind volume_size are of its ebs.
typedef struct {
    Slice device_name;
    bool root_volume;
    Slice volume_size; // quantity as written; empty: none
    bool has_ebs;
    OptionalBool delete_on_termination, encrypted;
    OptionalInt iops, throughput, volume_initialization_rate; // throughput and rate: MiB/s
    Slice kms_key_id, snapshot_id, volume_type;
} BlockDeviceMapping;
typedef Vec(BlockDeviceMapping) BlockDeviceMappingVec;

typedef struct {
    Symbol type; // "interface", "efa-only"
    int32_t card_index, device_index;
} NetworkInterface;
typedef Vec(NetworkInterface) NetworkInterfaceVec;

// spec.metadataOptions; the API server sets what is absent: enabled, disabled, 1, required.
typedef struct {
    Slice http_endpoint, http_protocol_ipv6, http_tokens;
    OptionalInt hop_limit;
} MetadataOptions;

// spec.connectionTracking: seconds.
typedef struct {
    OptionalInt tcp_established_timeout, udp_stream_timeout, udp_timeout;
} ConnectionTracking;

// What of the spec nothing but launches needs.
typedef struct {
    Ec2SelectorTermVec subnet_terms, security_group_terms, reservation_terms, ami_terms;
    PlacementGroupSelector placement_group;
    OptionalBool associate_public_ip;
    OptionalInt ip_prefix_count;
    Slice user_data;
    Slice role, instance_profile; // one of the two
    TextEntryVec tags;
    const Value *kubelet; // spec.kubelet as written; NULL: absent
    bool detailed_monitoring;
    bool has_metadata_options;
    MetadataOptions metadata_options;
    ConnectionTracking connection_tracking;
    Slice context;
    Slice nested_virtualization; // "enabled", "disabled"
    OptionalBool enclaves;
} Ec2LaunchSpec;

typedef struct {
    Symbol id, zone, zone_id;
} SubnetStatus;
typedef Vec(SubnetStatus) SubnetStatusVec;

typedef struct {
    Slice id, name;
} SecurityGroupStatus;
typedef Vec(SecurityGroupStatus) SecurityGroupStatusVec;

typedef struct {
    Symbol id, zone, instance_type, type /* default, capacity-block */, state /* active, expiring */;
    bool interruptible;
    int32_t available_count; // not in the API, karpenter.k8s.aws does not write it: see cloud/aws
    Slice match_criteria, owner_id;
    int64_t end_ns; // 0: none
} CapacityReservation;
typedef Vec(CapacityReservation) CapacityReservationVec;

// An image, and what an instance type must be for it to run there. An image with several sets of requirements has
// several entries.
typedef struct {
    Slice id, name;
    bool deprecated;
    ExpressionVec requirements;
} AmiStatus;
typedef Vec(AmiStatus) AmiStatusVec;

// What of the status nothing but launches needs.
typedef struct {
    SecurityGroupStatusVec security_groups;
    AmiStatusVec amis; // newest first
    Slice instance_profile;
} Ec2LaunchStatus;
