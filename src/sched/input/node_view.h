// A node as the planner sees it: Node and NodeClaim merged into one.
//
// Merge rules: reference scheduling.md 7.2 (labels and taints of the NodeClaim until the node is registered; known
// ephemeral and startup taints do not count until it is initialised; zero allocatable of a fresh node is replaced by
// the NodeClaim's; capacity counts one `nodes`). A NodeClaim that has not launched yet is a view too, `in_flight`:
// its labels are its requirements (several values stay possible) and its room is what every listed type has.
#pragma once

#include "model/instance_type.h"
#include "model/objects.h"

typedef struct {
    Symbol name;            // of the Node; of the NodeClaim while there is no Node
    Symbol hostname;        // label kubernetes.io/hostname, else the name
    Symbol pool;            // NodePool, NAME_EMPTY: not tenon's
    const Node *node;       // or NULL
    const NodeClaim *claim; // or NULL
    Labels labels;
    Requirements requirements; // labels as In requirements; of an in-flight claim its own
    TaintVec taints;           // those that count now
    Resources capacity;        // with nodes: 1
    Resources allocatable;
    bool managed, registered, initialized, deleting, in_flight;
} NodeView;
typedef Vec(NodeView) NodeViewVec;

// What a NodeView of an in-flight claim needs to know of the claim's pool: the types it may launch. May be NULL.
typedef struct {
    Symbol pool;
    const InstanceTypeVec *types;
} PoolTypes;

// All nodes and claims of the cluster, deleting ones included, sorted: initialised first, then by name text.
// O(nodes + claims).
NodeViewVec node_views_make(Arena *arena, Cluster *cluster, const PoolTypes *pools, uint32_t pool_count);
