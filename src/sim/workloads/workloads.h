// The workload controllers of the embedded cluster: Deployments, ReplicaSets, StatefulSets, DaemonSets and Jobs.
//
// They create and delete the pods that the workloads specify, as kube-controller-manager does. Pods are read from the
// world's mirror, the workloads by watches of their own (the mirror does not decode them). Owner references have
// controller: true; the API server's garbage collector deletes dependents.
//
// Work is O(changes): pods are counted as they change, and a controller looks at single pods only to choose some for
// deletion. A controller that has created or deleted pods acts on their number again only when it has seen all of that
// (the expectations of the real controllers). Failures are retried after 1 s, 2 s, … 1000 s. The status of a workload
// is written at most once a second. Sources: Kubernetes' documentation of each workload, and of the behaviour of
// k8s.io/kubernetes v1.36 pkg/controller.
//
// Left out: adoption of pods that match a selector, rollback, progress deadlines, StatefulSet partitions and
// maxUnavailable, surge of DaemonSets, failure and success policies of Jobs, the tracking finalizers of Jobs' pods.
#pragma once

#include "sim/world.h"

// Adds the five controllers; the world owns them.
void sim_workloads_add(World *world);
