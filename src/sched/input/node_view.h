// NodeView: a Node and its NodeClaim merged into one, as the planner and disruption see it.
//
// Merge rules: reference scheduling.md 7.2 (labels and taints of the NodeClaim until the node is registered; known
// ephemeral and startup taints do not count until it is initialized; zero allocatable of a new node is replaced by the
// NodeClaim's; capacity counts one `nodes`). A NodeClaim that has not launched yet is a view too, `in_flight`: its
// requirements stand for its labels (a key may have several values), and its allocatable is what all types that it
// lists have at least (input/claim_room.h).
#pragma once

#include "model/instance_type.h"
#include "model/objects.h"

typedef struct {
    Symbol name;            // of the Node; of the NodeClaim while there is no Node
    Symbol hostname;        // label kubernetes.io/hostname; without it the name, see lacks_hostname
    Symbol pool;            // NodePool; NAME_EMPTY: of no pool
    const Node *node;       // or NULL
    const NodeClaim *claim; // or NULL
    Labels labels;
    Requirements requirements; // the labels as In requirements; those of the claim when in flight
    TaintVec taints;           // without those that do not count yet
    Resources capacity;        // including nodes: 1
    Resources allocatable;
    bool managed, registered, initialized, deleting, in_flight;
    bool lacks_hostname;  // initialized, without that label: for kube-scheduler it is no host
    bool reboots;         // its machine restarts: pods that are terminating there are gone before it takes others
    bool keeps_out_moved; // takes no PendingPod that is `moved`. Never set by node_views_make
} NodeView;
typedef Vec(NodeView) NodeViewVec;

// The instance types of a pool, for the views of its claims in flight. `types` may be NULL.
typedef struct {
    Symbol pool;
    const InstanceTypeVec *types;
} PoolTypes;

// The views of all Nodes and NodeClaims of the cluster, including those being deleted: initialized ones first, then by
// name. O((nodes + claims) × log, + claims in flight × types × offerings).
NodeViewVec node_views_make(Arena *arena, Cluster *cluster, const PoolTypes *pools, uint32_t pool_count);
