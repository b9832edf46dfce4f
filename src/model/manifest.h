// Documents to a Cluster: which kinds are read, and how workloads become pods.
//
// Kinds: those of struct Cluster, plus Deployment, ReplicaSet, StatefulSet, Job (expanded to pods named
// "<workload>-<i>") and List; CronJob and unknown kinds are ignored with one warning per kind. A pod with
// spec.nodeName is bound.
#pragma once

#include "model/objects.h"

// Reads one parsed document into the cluster. O(size).
// ERR_INVALID: the text names file, line, path and what was expected. The cluster may then hold a part of it.
ErrCode manifest_read(Cluster *cluster, const Document *document, Err *err);

// To be called once after all documents: expands the workloads, gives pods their RuntimeClass's overhead and default
// names, checks references between objects (duplicates, NodePools without a NodeClass: warnings).
ErrCode manifest_finish(Cluster *cluster, Err *err);
