// Expansion of workloads: counting existing pods (workload_live.c) and making missing ones (workload_expand.c). Private
// to src/model.
#pragma once

#include "model/manifest/state.h"

// Existing pods of a workload; parallel to the workloads.
typedef struct {
    uint32_t live;        // pods that count as replicas
    uint32_t succeeded;   // of a Job
    uint32_t parent;      // ReplicaSet: the Deployment that owns it, else INDEX_NONE
    Symbol set_name;      // of a Deployment: its newest ReplicaSet; NAME_EMPTY: unknown
    Symbol set_hash;      // pod-template-hash of that ReplicaSet
    int64_t set_created;  // its creation
    bool set_is_revision; // it is of the Deployment's current revision
} Expansion;

typedef struct {
    Cluster *cluster;
    ManifestState *state;
    Arena *arena;
    Symbols *symbols;
    Expansion *expansions;
    const ObjectKind *pod_kind, *claim_kind;
    const ObjectKind *kinds[WORKLOAD_DAEMON_SET];
    Symbol revision; // annotation deployment.kubernetes.io/revision
} Expander;

static inline Slice expander_text(const Expander *expander, Symbol symbol) {
    return symbol_text(expander->symbols, symbol);
}

// Adds the pods that the workloads' controllers would make, the claims of StatefulSets, and the owners. O(pods).
// ERR_TOO_LARGE: more than CLUSTER_PODS_MAX pods.
ErrCode workloads_expand(Cluster *cluster, Err *err);
