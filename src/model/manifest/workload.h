// Workload: an object whose controller makes pods. Private to src/model.
//
// Workloads are read as templates and expanded at the end, because pods that are in the input too (as from `kubectl get
// all -o yaml`) are not made again.
#pragma once

#include "model/decode/pod.h"

typedef enum {
    WORKLOAD_DEPLOYMENT,
    WORKLOAD_REPLICA_SET,
    WORKLOAD_REPLICATION_CONTROLLER,
    WORKLOAD_STATEFUL_SET,
    WORKLOAD_JOB,
    WORKLOAD_DAEMON_SET, // becomes a DaemonSet of the cluster, no pods
} WorkloadKind;

// One of a StatefulSet's volumeClaimTemplates.
typedef struct {
    ObjectMeta meta;
    bool has_storage_class;
    Symbol storage_class;
} ClaimTemplate;

typedef struct {
    ObjectMeta meta;
    WorkloadKind kind;
    int64_t pods_wanted; // replicas; of a Job the number that may run now, without those that succeeded
    int64_t completions; // of a Job; -1: not set
    int64_t first_ordinal;
    const LabelSelector *selector;
    Labels pod_labels, pod_annotations;
    const PodSpec *pod_spec;
    Fingerprint template_print;
    Vec(ClaimTemplate) claims;
} Workload;
typedef Vec(Workload) WorkloadVec;

enum { WORKLOAD_PODS_MAX = 1000000, CLUSTER_PODS_MAX = 2000000 }; // most replicas of one workload, most pods in total
