// The objects of Karpenter before 1.0, as structs: Provisioner, Machine (karpenter.sh/v1alpha5), AWSNodeTemplate
// (karpenter.k8s.aws/v1alpha1), and NodePool, NodeClaim, EC2NodeClass of v1beta1.
//
// Reference legacy.md 2 to 4. Texts and vectors live as long as the arena of the decoder; `const Value *` points into
// the object that was decoded.
#pragma once

#include "text/decode.h"

// A map of texts, in the order of the document. Of quantities and thresholds: as written.
typedef struct {
    Slice key, value;
    uint32_t line; // of the key
} TextPair;
typedef Vec(TextPair) TextMap;

// The value of a key, NULL when absent. O(pairs).
const TextPair *text_map_get(const TextMap *map, Slice key);
#define text_map_get_text(map, literal) text_map_get((map), SLICE(literal))

// The parts of a selector's value, "a, b": any of them is meant. Without commas: the value. O(length).
SliceVec old_alternatives(Arena *arena, Slice value);

typedef struct {
    Slice key, operator;
    SliceVec values;
} OldRequirement;
typedef Vec(OldRequirement) OldRequirementVec;

typedef struct {
    Slice key, value, effect, time_added;
} OldTaint;
typedef Vec(OldTaint) OldTaintVec;

typedef struct {
    SliceVec cluster_dns;
    Slice container_runtime; // v1alpha5 only
    int32_t max_pods, pods_per_core, eviction_max_pod_grace_period, image_gc_high, image_gc_low;
    bool has_max_pods, has_pods_per_core, has_eviction_max_pod_grace_period, has_image_gc_high, has_image_gc_low;
    bool cpu_cfs_quota, has_cpu_cfs_quota;
    TextMap system_reserved, kube_reserved; // quantities
    TextMap eviction_hard, eviction_soft;   // percentages and quantities
    TextMap eviction_soft_grace_period;     // durations
} OldKubelet;

typedef struct {
    bool delete_on_termination, encrypted;
    bool has_delete_on_termination, has_encrypted;
    int64_t iops, throughput;
    bool has_iops, has_throughput;
    Slice kms_key_id, snapshot_id, volume_size, volume_type;
} OldDisk;

typedef struct {
    Slice device_name;
    const OldDisk *ebs; // NULL: absent
    bool root_volume;   // v1beta1 only
} OldDevice;
typedef Vec(OldDevice) OldDeviceVec;

typedef struct {
    Slice http_endpoint, http_protocol_ipv6, http_tokens; // empty: not set
    int64_t hop_limit;
    bool has_hop_limit;
} OldMetadataOptions;

// What an AWSNodeTemplate and the inline `provider` of a Provisioner have in common, and what the former has besides.
typedef struct {
    Slice ami_family, instance_profile, context, launch_template; // empty: not set
    TextMap subnet_selector, security_group_selector, tags;
    const OldMetadataOptions *metadata_options; // NULL: absent
    OldDeviceVec devices;
    // Of an AWSNodeTemplate alone.
    Slice user_data;
    TextMap ami_selector;
    bool has_user_data, detailed_monitoring;
} OldAws;

typedef struct {
    Slice name;
    const Value *metadata;
    OldAws aws;
} OldNodeTemplate;

typedef struct {
    Slice api_version, kind, name;
} OldReference;

typedef struct {
    Slice name;
    const Value *metadata;
    TextMap annotations, labels; // of nodes
    OldTaintVec taints, startup_taints;
    OldRequirementVec requirements;
    const OldKubelet *kubelet;     // NULL: absent
    const OldAws *provider;        // NULL: absent
    const OldReference *reference; // providerRef; NULL: absent
    int64_t ttl_after_empty_s, ttl_until_expired_s, weight;
    bool has_ttl_after_empty, has_ttl_until_expired, has_weight;
    TextMap limits; // quantities
    bool has_limits, consolidates;
    TextMap used; // status.resources
} OldProvisioner;

typedef struct {
    Slice name;
    const Value *metadata;
    OldTaintVec taints, startup_taints;
    OldRequirementVec requirements;
    const OldKubelet *kubelet;     // NULL: absent
    const OldReference *reference; // machineTemplateRef; NULL: absent
    TextMap requests;
    Slice node_name, provider_id;
    TextMap capacity, allocatable;
} OldMachine;

// v1beta1. What v1 has in the same form is not decoded but kept as it is, and judged as v1.

typedef struct {
    Slice name;
    const Value *metadata;
    const OldKubelet *kubelet;  // NULL: absent
    OldReference reference;     // nodeClassRef
    Slice consolidation_policy; // of a NodePool; empty: not set
    Slice consolidate_after;    // of a NodePool; empty: not set
    Slice expire_after;         // of a NodePool; empty: not set
} BetaPool;

typedef struct {
    Slice name;
    const Value *metadata;
    Slice ami_family;
    bool has_ami_terms;
    const OldMetadataOptions *metadata_options; // NULL: absent
    OldDeviceVec devices;
} BetaClass;

// Decoding.

typedef enum {
    OLD_PROVISIONER,   // OldProvisioner
    OLD_MACHINE,       // OldMachine
    OLD_NODE_TEMPLATE, // OldNodeTemplate
    OLD_BETA_POOL,     // BetaPool
    OLD_BETA_CLAIM,    // BetaPool
    OLD_BETA_CLASS,    // BetaClass
    OLD_KINDS,
} OldKind;

// The kind that a document says it is of; OLD_KINDS: none of these.
OldKind old_kind_of(const Value *object);

// "Provisioner"
const char *old_kind_text(OldKind kind);

// Decodes an object of that kind into `ret_object`, a zeroed struct of the kind's type. O(size). ERR_INVALID: a wrong
// type, a missing required field, a quantity that is none: "<path>: … (<file>:<line>, <kind> <name>)". Members that the
// kind does not have are ignored, except in `provider`, where Karpenter read strictly, too.
ErrCode old_decode(Arena *arena, OldKind kind, Slice file, const Value *object, void *ret_object, Err *err);

// A member that the kind does not have. An API server dropped it.
typedef struct {
    Slice path, meant; // "spec.consolidation.ttlSecondsUntilExpired", "spec.ttlSecondsUntilExpired" or empty
    uint32_t line;
} OldStranger;
typedef Vec(OldStranger) OldStrangerVec;

enum { OLD_STRANGERS_MAX = 100 }; // listed of one object; all are left out

// A copy of an object without them; lists the first ones, in the order of the document. What belongs to `provider` is
// kept, and objects of v1beta1 are copied whole. O(size × members).
Value old_prune(Arena *arena, OldKind kind, const Value *object, OldStrangerVec *ret_strangers);
