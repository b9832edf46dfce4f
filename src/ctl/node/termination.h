// node.termination: the end of a Node. Reference lifecycle.md 3.1 to 3.3.
//
// A Node that is managed, deleting and held by Karpenter's finalizer goes through: NodeClaim deleted, taint and label,
// drain (its pods are handed to ctl/eviction_queue), detachment of volumes, end of the instance, finalizer. Every pass
// finds out from the State how far it is; what the process remembers beside that only saves calls to the cloud.
//
// A change of the node, its pods, its NodeClaim or its volume attachments starts a pass at once; polling (a second,
// slower for a drain that is stuck) only repeats what was said.
#pragma once

#include "ctl/ctl.h"

enum {
    NODE_DRAIN_POLL_S = 1,
    NODE_DRAIN_POLL_MAX_S = 30,
    NODE_DRAIN_MIN_S = 5,     // per node with a NodeClaim
    NODE_INSTANCE_POLL_S = 5, // until the cloud says that the instance is gone
};

// Key: a Node.
extern const Controller node_termination_controller;
