// Documents to a Cluster: which kinds are read, and how workloads become pods.
//
// Kinds: those of struct Cluster, plus Deployment, ReplicaSet, ReplicationController, StatefulSet, Job (expanded to
// pods named "<workload>-<i>") and List; CronJob and unknown kinds are ignored with one warning per kind. A pod with
// spec.nodeName is bound. Pods that are in the input already count: only those that a workload lacks are made.
// Defaults that an API server and the controllers would have filled in are filled in (docs/design/model.md).
#pragma once

#include "model/objects.h"

// Reads one parsed document into the cluster. O(size).
// ERR_INVALID: the text names file, line, object, path and what was expected. The cluster may then hold a part of it.
// A pod or workload that an API server takes and that does not fit here (over 1,000 resources, a quantity beyond 63
// bits) is left out with a warning and counted in Cluster.set_aside.
ErrCode manifest_read(Cluster *cluster, const Document *document, Err *err);

// To be called once after all documents: expands the workloads, gives pods their RuntimeClass's overhead and default
// names, checks references between objects (duplicates, NodePools without a NodeClass: warnings). Sets
// NodePool.not_ready. ERR_TOO_LARGE: the workloads make more than 2 million pods.
ErrCode manifest_finish(Cluster *cluster, Err *err);
