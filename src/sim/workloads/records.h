// Records of workloads: lookup by uid or slot, creation and removal by watch events.
#pragma once

#include "sim/workloads/workload.h"

// The kind's row; CHECKs that it is a workload.
const SimWorkloadKind *workload_kind(KubeKind kind);

// The workload of that uid, or NULL. O(1).
SimWorkload *workload_find(SimWorkloads *workloads, Symbol uid);
SimWorkload *workload_at(SimWorkloads *workloads, uint32_t slot);

// Takes over a newer version of the object; older ones are ignored.
void workload_take(SimWorkloads *workloads, KubeKind kind, const Value *object, bool removed);

// Removes a workload's record.
void workload_drop(SimWorkload *workload);

// Marks a workload as due in the next round.
void workload_due(SimWorkload *workload);
PodNote *workload_pod_note(SimWorkloads *workloads, Handle pod);

// Adds a ReplicaSet to its Deployment. O(its ReplicaSets).
void deployment_note_set(SimWorkload *deployment, const SimWorkload *set);

// Marks the owner of a workload (the Deployment of a ReplicaSet) as due, if there is one.
void workload_owner_due(SimWorkload *workload);

// All pods that it owns, in any state.
const HandleVec *workload_pods(const SimWorkload *workload);
const Pod *workload_pod(const SimWorkload *workload, Handle pod);
bool sim_pod_is_active(const Pod *pod);

// The workload that controls the pod; NULL: none. `pod` may be NULL.
SimWorkload *workload_of_pod(SimWorkloads *workloads, const Pod *pod);

// Adds a pod to the counts, or subtracts it.
void workload_count_pod(PodCounts *counts, const Pod *pod, int sign);
