// The rights that `tenon run` needs in Kubernetes: one table, from which the roles in docs/run.md and
// those of the Helm chart are made.
#pragma once

#include "base/buffer.h"

// Where a right is given: in the whole cluster, in the namespace of the Lease, in kube-system; and with the objects of
// 2023 alone in the whole cluster, and in the namespace of the Lease.
typedef enum { RIGHTS_CLUSTER, RIGHTS_LEASE, RIGHTS_DNS, RIGHTS_LEGACY, RIGHTS_LEGACY_LEASE } RightsPlace;

// X(PLACE, "groups", "resources", "verbs", "names", "what for"); lists have commas between; names "": all.
#define RIGHTS(X)                                                                                                      \
    X(CLUSTER, "karpenter.sh", "nodepools", "list, watch, patch", "", "")                                              \
    X(CLUSTER, "karpenter.sh", "nodeclaims", "get, list, watch, create, patch, delete", "", "")                        \
    X(CLUSTER, "karpenter.sh", "nodepools/status, nodeclaims/status", "patch", "", "")                                 \
    X(CLUSTER, "karpenter.k8s.aws", "ec2nodeclasses", "get, list, watch", "", "")                                      \
    X(CLUSTER, "karpenter.kwok.sh", "kwoknodeclasses", "get, list, watch", "", "")                                     \
    X(CLUSTER, "karpenter.k8s.aws", "ec2nodeclasses, ec2nodeclasses/status", "patch", "",                              \
      "AWS: finalizers, hashes, what was found")                                                                       \
    X(CLUSTER, "\"\"", "nodes", "get, list, watch, create, patch, delete", "", "")                                     \
    X(CLUSTER, "\"\"", "pods", "list, watch, delete", "", "")                                                          \
    X(CLUSTER, "\"\"", "pods/eviction", "create", "", "")                                                              \
    X(CLUSTER, "\"\"", "events", "create, patch", "", "")                                                              \
    X(CLUSTER, "\"\"", "namespaces, persistentvolumes, persistentvolumeclaims, services", "list, watch", "", "")       \
    X(CLUSTER, "apps", "daemonsets, replicasets, statefulsets", "list, watch", "", "")                                 \
    X(CLUSTER, "node.k8s.io", "runtimeclasses", "list, watch", "", "")                                                 \
    X(CLUSTER, "policy", "poddisruptionbudgets", "list, watch", "", "")                                                \
    X(CLUSTER, "scheduling.k8s.io", "priorityclasses", "list, watch", "", "")                                          \
    X(CLUSTER, "storage.k8s.io", "csinodes, storageclasses, volumeattachments", "list, watch", "", "")                 \
    X(LEASE, "coordination.k8s.io", "leases", "create", "", "")                                                        \
    X(LEASE, "coordination.k8s.io", "leases", "get, update", "karpenter-leader-election", "")                          \
    X(LEASE, "\"\"", "configmaps", "create", "", "AWS: memory that was learned from nodes")                            \
    X(LEASE, "\"\"", "configmaps", "get, patch", "tenon-learned-memory", "AWS: the same")                              \
    X(DNS, "\"\"", "services", "get", "kube-dns", "AWS: the address that nodes are told")                              \
    X(LEGACY, "karpenter.sh", "provisioners", "get, list, watch, patch", "", "")                                       \
    X(LEGACY, "karpenter.sh", "machines", "get, list, watch, create, patch, delete", "", "")                           \
    X(LEGACY, "karpenter.k8s.aws", "awsnodetemplates", "get, list, watch, patch", "", "")                              \
    X(LEGACY, "karpenter.sh", "provisioners/status, machines/status", "patch", "", "")                                 \
    X(LEGACY, "karpenter.k8s.aws", "awsnodetemplates/status", "patch", "", "")                                         \
    X(LEGACY, "admissionregistration.k8s.io", "mutatingwebhookconfigurations, validatingwebhookconfigurations",        \
      "create", "", "--legacy-webhooks")                                                                               \
    X(LEGACY, "admissionregistration.k8s.io", "mutatingwebhookconfigurations", "get, update",                          \
      "defaulting.webhook.karpenter.k8s.aws", "the same")                                                              \
    X(LEGACY, "admissionregistration.k8s.io", "validatingwebhookconfigurations", "get, update",                        \
      "validation.webhook.karpenter.k8s.aws, validation.webhook.karpenter.sh, validation.webhook.config.karpenter.sh", \
      "the same")                                                                                                      \
    X(LEGACY_LEASE, "\"\"", "configmaps", "get", "karpenter-global-settings", "")                                      \
    X(LEGACY_LEASE, "\"\"", "secrets", "create", "", "--legacy-webhooks: their certificate")                           \
    X(LEGACY_LEASE, "\"\"", "secrets", "get, update", "karpenter-cert", "the same")

typedef struct {
    RightsPlace place;
    const char *groups, *resources, *verbs, *names, *purpose;
} Right;

// The row of that number; false: there is none.
bool right_at(uint32_t number, Right *ret_right);
// Appends the roles as YAML.
void rights_print(Buffer *text);
// Appends the rules by place as YAML (deploy/chart/files/rights.yaml); the chart makes its roles of them.
void rights_print_rules(Buffer *text);
