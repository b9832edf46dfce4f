// Names of Kubernetes, Karpenter and AWS that tenon's code refers to, as symbols with fixed numbers.
//
// One table: `NAME_ZONE` is the symbol of "topology.kubernetes.io/zone" in every symbol table that names_init made.
// Sources: reference scheduling.md 1.5, aws.md 1.6 and 4.1, lifecycle.md 8.
#pragma once

#include "base/symbol.h"

#define NAMES(X)                                                                                                       \
    /* resources */                                                                                                    \
    X(CPU, "cpu")                                                                                                      \
    X(MEMORY, "memory")                                                                                                \
    X(PODS, "pods")                                                                                                    \
    X(EPHEMERAL_STORAGE, "ephemeral-storage")                                                                          \
    X(NODES, "nodes")                                                                                                  \
    /* labels of nodes */                                                                                              \
    X(HOSTNAME, "kubernetes.io/hostname")                                                                              \
    X(ZONE, "topology.kubernetes.io/zone")                                                                             \
    X(REGION, "topology.kubernetes.io/region")                                                                         \
    X(INSTANCE_TYPE, "node.kubernetes.io/instance-type")                                                               \
    X(ARCH, "kubernetes.io/arch")                                                                                      \
    X(OS, "kubernetes.io/os")                                                                                          \
    X(WINDOWS_BUILD, "node.kubernetes.io/windows-build")                                                               \
    X(CAPACITY_TYPE, "karpenter.sh/capacity-type")                                                                     \
    X(NODEPOOL, "karpenter.sh/nodepool")                                                                               \
    X(PROVISIONER_NAME, "karpenter.sh/provisioner-name")                                                               \
    X(REGISTERED, "karpenter.sh/registered")                                                                           \
    X(INITIALIZED, "karpenter.sh/initialized")                                                                         \
    X(RESERVATION_ID, "karpenter.k8s.aws/capacity-reservation-id")                                                     \
    X(ZONE_ID, "topology.k8s.aws/zone-id")                                                                             \
    /* values */                                                                                                       \
    X(TRUE, "true")                                                                                                    \
    X(ON_DEMAND, "on-demand")                                                                                          \
    X(SPOT, "spot")                                                                                                    \
    X(RESERVED, "reserved")                                                                                            \
    X(LINUX, "linux")                                                                                                  \
    X(WINDOWS, "windows")                                                                                              \
    X(AMD64, "amd64")                                                                                                  \
    X(ARM64, "arm64")                                                                                                  \
    /* taints */                                                                                                       \
    X(DISRUPTED, "karpenter.sh/disrupted")                                                                             \
    X(UNREGISTERED, "karpenter.sh/unregistered")                                                                       \
    X(NOT_READY, "node.kubernetes.io/not-ready")                                                                       \
    X(UNREACHABLE, "node.kubernetes.io/unreachable")                                                                   \
    X(UNSCHEDULABLE, "node.kubernetes.io/unschedulable")                                                               \
    X(UNINITIALIZED, "node.cloudprovider.kubernetes.io/uninitialized")                                                 \
    X(REBOOTING, "karpenter.sh/rebooting")                                                                             \
    X(PLANNED_TO_GO, "tenon.sh/planned-to-go")                                                                         \
    /* annotations */                                                                                                  \
    X(DO_NOT_DISRUPT, "karpenter.sh/do-not-disrupt")                                                                   \
    X(DO_NOT_EVICT, "karpenter.sh/do-not-evict")                                                                       \
    X(DO_NOT_CONSOLIDATE, "karpenter.sh/do-not-consolidate")                                                           \
    X(REFUSED, "tenon.sh/refused")                                                                                     \
    X(DO_NOT_REPAIR, "karpenter.sh/do-not-repair")                                                                     \
    X(SURGE, "tenon.sh/surge")                                                                                         \
    X(SURGE_FOR, "tenon.sh/surge-for")                                                                                 \
    X(DISRUPTION_COST, "karpenter.sh/disruption-cost")                                                                 \
    X(POD_DELETION_COST, "controller.kubernetes.io/pod-deletion-cost")                                                 \
    X(OWN_DELETION_COST, "tenon.sh/pod-deletion-cost")                                                                 \
    X(COMMAND, "tenon.sh/command")                                                                                     \
    X(REPAIRS, "tenon.sh/repairs")                                                                                     \
    X(REBOOTS, "tenon.sh/reboots")                                                                                     \
    X(REBOOT_BOUND, "karpenter.sh/reboot-termination-grace-period")                                                    \
    X(REBOOT_BOOT_ID, "karpenter.sh/reboot-pre-boot-id")                                                               \
    X(NODE_LOSS_COST, "tenon.sh/node-loss-cost")                                                                       \
    X(MIN_SAVING, "tenon.sh/min-saving")                                                                               \
    X(PAYBACK, "tenon.sh/payback")                                                                                     \
    X(PAID_BACK_AT, "tenon.sh/paid-back-at")                                                                           \
    X(NODEPOOL_HASH, "karpenter.sh/nodepool-hash")                                                                     \
    X(NODEPOOL_HASH_VERSION, "karpenter.sh/nodepool-hash-version")                                                     \
    X(BIND_COMPLETED, "pv.kubernetes.io/bind-completed")                                                               \
    X(SELECTED_NODE, "volume.kubernetes.io/selected-node")                                                             \
    /* owners of pods */                                                                                               \
    X(V1, "v1")                                                                                                        \
    X(APPS_V1, "apps/v1")                                                                                              \
    X(NODE, "Node")                                                                                                    \
    X(DAEMON_SET, "DaemonSet")                                                                                         \
    X(STATEFUL_SET, "StatefulSet")                                                                                     \
    X(REPLICA_SET, "ReplicaSet")                                                                                       \
    X(JOB, "Job")                                                                                                      \
    X(BATCH_V1, "batch/v1")                                                                                            \
    X(KUBE_SYSTEM, "kube-system")                                                                                      \
    /* labels that controllers add */                                                                                  \
    X(POD_TEMPLATE_HASH, "pod-template-hash")                                                                          \
    X(DEFAULT_NAMESPACE, "default")                                                                                    \
    X(NAMESPACE_NAME_LABEL, "kubernetes.io/metadata.name")

enum {
    NAME_EMPTY = SYMBOL_EMPTY,
#define X(name, text) NAME_##name,
    NAMES(X)
#undef X
        NAMES_END
};

// symbols_init, and the names above.
void names_init(Symbols *symbols);

// The stable key of a deprecated or aliased node label ("failure-domain.beta.kubernetes.io/zone" and
// "topology.ebs.csi.aws.com/zone" give topology.kubernetes.io/zone); other keys as they are. scheduling.md 2.6.
Symbol label_key_normalize(Symbols *symbols, Symbol key);
