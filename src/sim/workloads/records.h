// Records of workloads: found by uid or slot, made and dropped as the watches tell.
#pragma once

#include "sim/workloads/workload.h"

// The kind of a workload. CHECKs that it is one.
const SimWorkloadKind *workload_kind(KubeKind kind);

// The workload of that uid, or NULL. O(1).
SimWorkload *workload_find(SimWorkloads *workloads, Symbol uid);
SimWorkload *workload_at(SimWorkloads *workloads, uint32_t slot);

// Takes over a newer version; older ones are ignored.
void workload_take(SimWorkloads *workloads, KubeKind kind, const Value *object, bool removed);

// Forgets a workload.
void workload_drop(SimWorkload *workload);

// Has it looked at in the next round.
void workload_due(SimWorkload *workload);
PodNote *workload_pod_note(SimWorkloads *workloads, Handle pod);

// A ReplicaSet belongs to that Deployment. O(its ReplicaSets).
void deployment_note_set(SimWorkload *deployment, const SimWorkload *set);

// Marks the owner (a Deployment of a ReplicaSet), if there is one.
void workload_owner_due(SimWorkload *workload);

// The pods that it owns, of all states.
const HandleVec *workload_pods(const SimWorkload *workload);
const Pod *workload_pod(const SimWorkload *workload, Handle pod);
bool sim_pod_is_active(const Pod *pod);

// The workload that controls the pod; NULL: none. `pod` may be NULL.
SimWorkload *workload_of_pod(SimWorkloads *workloads, const Pod *pod);

// Counts a pod in or out.
void workload_count_pod(PodCounts *counts, const Pod *pod, int sign);
