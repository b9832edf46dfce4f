// What the two halves of expanding workloads share: counting live pods and making missing ones. Private to src/model.
#pragma once

#include "model/manifest/state.h"

// What is known of a workload's pods before new ones are made. Parallel to the workloads.
typedef struct {
    uint32_t live;        // pods that count against what is wanted
    uint32_t succeeded;   // of a Job
    uint32_t parent;      // ReplicaSet: the Deployment that owns it, else INDEX_NONE
    Symbol set_name;      // Deployment: its newest ReplicaSet, NAME_EMPTY: none known
    Symbol set_hash;      // pod-template-hash of that
    int64_t set_created;  // its age
    bool set_is_revision; // it has the Deployment's revision
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

// Adds the pods that the workloads would still make, the claims of StatefulSets, and the owners. O(pods).
// ERR_TOO_LARGE: more than CLUSTER_PODS_MAX pods together.
ErrCode workloads_expand(Cluster *cluster, Err *err);
