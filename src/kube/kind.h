// KubeKind: the kinds of Kubernetes objects that tenon uses, one row each, from which URLs are made.
//
// The order of the rows only matters to the embedded API server, which walks the kinds in it. ResourceSlice and
// ResourceClaim are reserved: they can be stored and watched, but nothing reads them yet. Sources: Kubernetes' API
// reference v1.36; reference scheduling.md 1.1, aws.md 1, lifecycle.md 8, legacy.md 2 to 4.
#pragma once

#include "base/slice.h"

// X(name, group, version, kind, plural, scope, status, origin)
//   scope:  NAMESPACED or CLUSTER_WIDE
//   status: whether the kind has the status subresource
//   origin: BUILT_IN, or CUSTOM for kinds with a CustomResourceDefinition (no strategic merge patch, for example)
#define KUBE_KINDS(X)                                                                                                  \
    X(NAMESPACE, "", "v1", "Namespace", "namespaces", CLUSTER_WIDE, true, BUILT_IN)                                    \
    X(NODE, "", "v1", "Node", "nodes", CLUSTER_WIDE, true, BUILT_IN)                                                   \
    X(POD, "", "v1", "Pod", "pods", NAMESPACED, true, BUILT_IN)                                                        \
    X(SERVICE, "", "v1", "Service", "services", NAMESPACED, true, BUILT_IN)                                            \
    X(EVENT, "", "v1", "Event", "events", NAMESPACED, false, BUILT_IN)                                                 \
    X(PERSISTENT_VOLUME, "", "v1", "PersistentVolume", "persistentvolumes", CLUSTER_WIDE, true, BUILT_IN)              \
    X(PERSISTENT_VOLUME_CLAIM, "", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", NAMESPACED, true,          \
      BUILT_IN)                                                                                                        \
    X(STORAGE_CLASS, "storage.k8s.io", "v1", "StorageClass", "storageclasses", CLUSTER_WIDE, false, BUILT_IN)          \
    X(CSI_NODE, "storage.k8s.io", "v1", "CSINode", "csinodes", CLUSTER_WIDE, false, BUILT_IN)                          \
    X(VOLUME_ATTACHMENT, "storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", CLUSTER_WIDE, true,          \
      BUILT_IN)                                                                                                        \
    X(DEPLOYMENT, "apps", "v1", "Deployment", "deployments", NAMESPACED, true, BUILT_IN)                               \
    X(REPLICA_SET, "apps", "v1", "ReplicaSet", "replicasets", NAMESPACED, true, BUILT_IN)                              \
    X(STATEFUL_SET, "apps", "v1", "StatefulSet", "statefulsets", NAMESPACED, true, BUILT_IN)                           \
    X(DAEMON_SET, "apps", "v1", "DaemonSet", "daemonsets", NAMESPACED, true, BUILT_IN)                                 \
    X(JOB, "batch", "v1", "Job", "jobs", NAMESPACED, true, BUILT_IN)                                                   \
    X(POD_DISRUPTION_BUDGET, "policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", NAMESPACED, true,          \
      BUILT_IN)                                                                                                        \
    X(LEASE, "coordination.k8s.io", "v1", "Lease", "leases", NAMESPACED, false, BUILT_IN)                              \
    X(PRIORITY_CLASS, "scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", CLUSTER_WIDE, false, BUILT_IN)    \
    X(RUNTIME_CLASS, "node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", CLUSTER_WIDE, false, BUILT_IN)             \
    X(RESOURCE_SLICE, "resource.k8s.io", "v1", "ResourceSlice", "resourceslices", CLUSTER_WIDE, false, BUILT_IN)       \
    X(RESOURCE_CLAIM, "resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", NAMESPACED, true, BUILT_IN)          \
    X(NODE_POOL, "karpenter.sh", "v1", "NodePool", "nodepools", CLUSTER_WIDE, true, CUSTOM)                            \
    X(NODE_CLAIM, "karpenter.sh", "v1", "NodeClaim", "nodeclaims", CLUSTER_WIDE, true, CUSTOM)                         \
    X(NODE_OVERLAY, "karpenter.sh", "v1alpha1", "NodeOverlay", "nodeoverlays", CLUSTER_WIDE, true, CUSTOM)             \
    X(EC2_NODE_CLASS, "karpenter.k8s.aws", "v1", "EC2NodeClass", "ec2nodeclasses", CLUSTER_WIDE, true, CUSTOM)         \
    X(KWOK_NODE_CLASS, "karpenter.kwok.sh", "v1alpha1", "KWOKNodeClass", "kwoknodeclasses", CLUSTER_WIDE, true,        \
      CUSTOM)                                                                                                          \
    X(CAPACITY_BUFFER, "autoscaling.x-k8s.io", "v1beta1", "CapacityBuffer", "capacitybuffers", NAMESPACED, true,       \
      CUSTOM)                                                                                                          \
    X(PROVISIONER, "karpenter.sh", "v1alpha5", "Provisioner", "provisioners", CLUSTER_WIDE, true, CUSTOM)              \
    X(MACHINE, "karpenter.sh", "v1alpha5", "Machine", "machines", CLUSTER_WIDE, true, CUSTOM)                          \
    X(AWS_NODE_TEMPLATE, "karpenter.k8s.aws", "v1alpha1", "AWSNodeTemplate", "awsnodetemplates", CLUSTER_WIDE, true,   \
      CUSTOM)                                                                                                          \
    X(CONFIG_MAP, "", "v1", "ConfigMap", "configmaps", NAMESPACED, false, BUILT_IN)                                    \
    X(SECRET, "", "v1", "Secret", "secrets", NAMESPACED, false, BUILT_IN)                                              \
    X(MUTATING_WEBHOOKS, "admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration",                         \
      "mutatingwebhookconfigurations", CLUSTER_WIDE, false, BUILT_IN)                                                  \
    X(VALIDATING_WEBHOOKS, "admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration",                     \
      "validatingwebhookconfigurations", CLUSTER_WIDE, false, BUILT_IN)

typedef enum {
#define X(name, ...) KUBE_##name,
    KUBE_KINDS(X)
#undef X
        KUBE_KIND_COUNT
} KubeKind;

typedef struct {
    Slice group, version, kind, plural;
    Slice api_version; // "v1", "apps/v1": as in objects
    Slice resource;    // "pods", "deployments.apps": as in messages of the API server
    Slice group_kind;  // "Pod", "Deployment.apps": likewise
    bool namespaced, has_status, custom;
} KubeKindInfo;

// The row of a kind. O(1).
const KubeKindInfo *kube_kind(KubeKind kind);

// The kind with that apiVersion ("apps/v1") and kind ("Deployment"). KUBE_KIND_COUNT: none. O(kinds).
KubeKind kube_kind_find(Slice api_version, Slice kind);
// The same for any version: owner references of older objects name versions that no longer exist.
KubeKind kube_kind_find_any_version(Slice api_version, Slice kind);
