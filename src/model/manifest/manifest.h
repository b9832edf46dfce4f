// Reading manifests: documents into a Cluster.
//
// Kinds: those of struct Cluster, and Deployment, ReplicaSet, ReplicationController, StatefulSet, Job (expanded to pods
// named "<workload>-<i>") and List; CronJob and unknown kinds are ignored with one warning per kind. A pod with
// spec.nodeName is bound. Pods in the input count for their workload: only missing ones are made. Defaults that an API
// server and the controllers would set are set (docs/design/model.md).
#pragma once

#include "model/objects.h"

// Reads one parsed document into the cluster. O(size). ERR_INVALID: the text names file, line, object, path and what
// was expected; the cluster may contain part of the document. A pod or workload that an API server accepts but tenon
// cannot represent (over 1,000 resources, a quantity beyond 63 bits) is left out with a warning and counted in
// Cluster.set_aside.
ErrCode manifest_read(Cluster *cluster, const Document *document, Err *err);

// A document whose elements come one by one (json_read in text/json.h).
typedef struct {
    Cluster *cluster;
    Slice file;
    bool is_list;            // else its elements are ignored
    Slice api_version, kind; // of elements that do not say theirs; as long as the document
} ManifestList;

// Reads a document, as manifest_read does, and then more elements of it. O(size of each). Errors as manifest_read.
ErrCode manifest_list_begin(Cluster *cluster, const Document *document, ManifestList *ret_list, Err *err);
ErrCode manifest_list_read(const ManifestList *list, const Value *element, Err *err);

// Finishes the cluster; to be called once after all documents. Expands the workloads, applies RuntimeClass overhead and
// defaults to pods, checks references between objects (duplicates, NodePools without a NodeClass: warnings), and sets
// NodePool.not_ready. ERR_TOO_LARGE: the workloads make more than 2 million pods.
ErrCode manifest_finish(Cluster *cluster, Err *err);
