// Structs of all kinds but pods (nodes, pools, claims, classes, volumes, …), and the Cluster as lists of them.
//
// Decoded by tables (decode/schemas.h); a struct has only the members that something reads.
#pragma once

#include "model/ec2_node_class.h"
#include "model/pod.h"
#include "model/pool_disruption.h"
#include "text/decode.h"

typedef struct {
    Symbol ns, name, uid;
    int64_t created_ns;
    int64_t deleted_ns; // deletionTimestamp; 0: not set
    bool deleting;
    int64_t generation;
    uint64_t revision; // resourceVersion; 0: none
    Labels labels, annotations;
    OwnerReferenceVec owners;
    SymbolVec finalizers;
    Slice file;
    uint32_t line;
} ObjectMeta;

typedef struct {
    Symbol type;
    Symbol status; // "True", "False", "Unknown"
    Symbol reason;
    Slice message;
    int64_t transition_ns; // lastTransitionTime
    int64_t observed_generation;
} Condition;
typedef Vec(Condition) ConditionVec;

typedef struct {
    ObjectMeta meta;
    Symbol provider_id;
    TaintVec taints; // with node.kubernetes.io/unschedulable when spec.unschedulable is set
    Resources capacity, allocatable;
    ConditionVec conditions;
    Symbol boot_id; // status.nodeInfo.bootID: another one after each boot; NAME_EMPTY: not reported
} Node;
typedef Vec(Node) NodeVec;

typedef struct {
    Symbol group, kind, name;
} NodeClassRef;

// spec.template of a NodePool and spec of a NodeClaim.
typedef struct {
    bool has_taints, has_startup_taints; // present, if only as an empty list (which changes the hash)
    TaintVec taints, startup_taints;
    ExpressionVec requirements;
    NodeClassRef node_class;
    bool has_termination_grace_period;
    int64_t termination_grace_period_ns;
    Slice termination_grace_period_text; // as written, for printing
    int64_t expire_after_ns;             // DURATION_NEVER; default 720h
    Slice expire_after_text;
} NodeClaimTemplateSpec;

typedef struct {
    ObjectMeta meta;
    bool has_template_labels, has_template_annotations; // present, if only as an empty map
    Labels template_labels, template_annotations;
    NodeClaimTemplateSpec template_spec;
    bool has_limits;
    Resources limits;
    int32_t weight; // 0: not set
    bool is_static; // spec.replicas is set
    int64_t replicas;
    PoolDisruption disruption;
    ConditionVec conditions; // of the status; empty: never reconciled
    Resources status_resources;
    int64_t status_nodes, node_class_observed_generation;
    Slice not_ready; // why the pool gets no nodes (set by manifest_finish); empty: it may get some
} NodePool;
typedef Vec(NodePool) NodePoolVec;

typedef struct {
    ObjectMeta meta;
    NodeClaimTemplateSpec spec;
    Resources requests;                      // spec.resources.requests
    Symbol node_name, provider_id, image_id; // from the status, as all below
    Resources capacity, allocatable;
    ConditionVec conditions;
    int64_t last_pod_event_ns; // 0: none
} NodeClaim;
typedef Vec(NodeClaim) NodeClaimVec;

typedef struct {
    bool has_max_pods, has_pods_per_core;
    int32_t max_pods, pods_per_core;
    Resources kube_reserved, system_reserved;
    Labels eviction_hard; // signal to threshold, as written
} KubeletSettings;

typedef struct {
    ObjectMeta meta;
    Slice ami_family; // spec.amiFamily, else that of the alias (AL2, AL2023, Bottlerocket, Windows2022, …), else Custom
    KubeletSettings kubelet;
    BlockDeviceMappingVec block_devices;
    Slice instance_store_policy; // "RAID0" or empty
    NetworkInterfaceVec network_interfaces;
    bool has_connection_tracking, nested_virtualization;
    SubnetStatusVec subnets; // of the status; empty: every zone of the region
    CapacityReservationVec reservations;
    ConditionVec conditions;
    const Value *status; // all of it as the API server has it; NULL: none
    Ec2LaunchSpec launch;
    Ec2LaunchStatus found;
    Slice not_ready; // why Karpenter would not launch with it (runtime validation); empty: no reason known
} EC2NodeClass;
typedef Vec(EC2NodeClass) EC2NodeClassVec;

typedef struct {
    ObjectMeta meta;
    ConditionVec conditions;
    const Value *status; // as the API server has it; NULL: none
} KWOKNodeClass;
typedef Vec(KWOKNodeClass) KWOKNodeClassVec;

typedef struct {
    ObjectMeta meta; // with the label kubernetes.io/metadata.name
} Namespace;
typedef Vec(Namespace) NamespaceVec;

typedef struct {
    ObjectMeta meta;
    Symbol csi_driver;      // in-tree names translated; NAME_EMPTY: not a CSI volume
    bool local;             // local or hostPath: its hostname terms are ignored
    NodeTermVec node_terms; // nodeAffinity.required
} PersistentVolume;
typedef Vec(PersistentVolume) PersistentVolumeVec;

typedef struct {
    ObjectMeta meta;
    bool has_storage_class;
    Symbol storage_class, volume_name;
    Symbol phase; // "Bound", "Pending", "Lost"
    bool one_pod; // access mode ReadWriteOncePod: one pod of the cluster at a time
} PersistentVolumeClaim;
typedef Vec(PersistentVolumeClaim) PersistentVolumeClaimVec;

typedef struct {
    ObjectMeta meta;
    Symbol driver;  // provisioner, in-tree names translated to CSI
    bool immediate; // volumeBindingMode other than WaitForFirstConsumer
    bool is_default;
    Vec(NodeTerm) allowed_topologies; // each term's expressions are OP_IN
} StorageClass;
typedef Vec(StorageClass) StorageClassVec;

typedef struct {
    Symbol driver;
    bool has_count;
    int64_t count; // allocatable attachments
} VolumeLimit;
typedef Vec(VolumeLimit) VolumeLimitVec;

typedef struct {
    ObjectMeta meta; // name = node
    VolumeLimitVec drivers;
} CSINode;
typedef Vec(CSINode) CSINodeVec;

typedef struct {
    ObjectMeta meta;
    Symbol node_name, volume_name; // NAME_EMPTY: an inline volume
} VolumeAttachment;
typedef Vec(VolumeAttachment) VolumeAttachmentVec;

// minAvailable or maxUnavailable: "3" or "50%", as written; empty: not set.
typedef struct {
    ObjectMeta meta;
    const LabelSelector *selector;
    Slice min_available, max_unavailable;
    bool always_allow_unhealthy; // unhealthyPodEvictionPolicy: AlwaysAllow
    bool has_status;
    int32_t disruptions_allowed;
} PodDisruptionBudget;
typedef Vec(PodDisruptionBudget) PodDisruptionBudgetVec;

typedef struct {
    ObjectMeta meta;
    bool has_selector;
    Labels selector;
} Service;
typedef Vec(Service) ServiceVec;

// ReplicaSets, StatefulSets and ReplicationControllers as owners of pods (default topology spread uses their
// selectors).
typedef struct {
    ObjectMeta meta;
    Symbol kind;
    const LabelSelector *selector;
} PodOwner;
typedef Vec(PodOwner) PodOwnerVec;

typedef struct {
    ObjectMeta meta;
    Labels pod_labels;
    const PodSpec *pod_spec; // of the template; limits copied into missing requests
} DaemonSet;
typedef Vec(DaemonSet) DaemonSetVec;

typedef struct {
    ObjectMeta meta;
    Resources overhead;
    Labels node_selector;
    TolerationVec tolerations;
} RuntimeClass;
typedef Vec(RuntimeClass) RuntimeClassVec;

typedef struct {
    ObjectMeta meta;
    int32_t value;
} PriorityClass;
typedef Vec(PriorityClass) PriorityClassVec;

// Everything that was read, in input order. Workloads are expanded into pods.
typedef struct {
    Arena arena;
    Symbols symbols;
    PodVec pods;
    NodeVec nodes;
    NodePoolVec node_pools;
    NodeClaimVec node_claims;
    EC2NodeClassVec ec2_node_classes;
    KWOKNodeClassVec kwok_node_classes;
    NamespaceVec namespaces;
    PersistentVolumeVec volumes;
    PersistentVolumeClaimVec volume_claims;
    StorageClassVec storage_classes;
    CSINodeVec csi_nodes;
    PodDisruptionBudgetVec disruption_budgets;
    ServiceVec services;
    PodOwnerVec owners;
    DaemonSetVec daemon_sets;
    RuntimeClassVec runtime_classes;
    PriorityClassVec priority_classes;
    WarningVec warnings;
    uint32_t object_count;         // objects that were read from manifests, of kinds that are read
    uint32_t set_aside;            // pods and workloads among them that tenon cannot represent; see the warnings
    struct ManifestState *reading; // while manifests are read: workloads not yet expanded (manifest/state.h)
} Cluster;

void cluster_init(Cluster *cluster);
void cluster_free(Cluster *cluster);

// The condition of that type, or NULL.
const Condition *condition_get(const ConditionVec *conditions, const Symbols *symbols, Slice type);
// Whether it is there, and True.
bool condition_is_true(const ConditionVec *conditions, const Symbols *symbols, Slice type);
// Whether the claim's node is being rebooted: condition Rebooting is True (reference changes.md 2).
bool claim_is_rebooting(const NodeClaim *claim, const Symbols *symbols);
// Whether the Node's condition Ready is True; a missing one counts as not ready.
bool node_is_ready(const Node *node, const Symbols *symbols);
