// node.termination: drains a Node that is being deleted, terminates its instance, and releases its finalizer.
// Behaviour: reference lifecycle.md 3.1 to 3.3.
//
// Steps of a Node that is managed, deleting and held by Karpenter's finalizer: delete the NodeClaim, taint and label
// the Node, drain it (pods are handed to ctl/node/eviction_queue), wait for volumes to be detached, terminate the
// instance, remove the finalizer. Every pass derives the progress from the State; the note that the process keeps only
// saves calls to the cloud.
//
// A change of the Node, its pods, its NodeClaim or its VolumeAttachments starts a pass at once; polling (every second,
// slower for a drain that is stuck) only repeats events.
#pragma once

#include "ctl/ctl.h"

enum {
    NODE_DRAIN_POLL_S = 1,
    NODE_DRAIN_POLL_MAX_S = 30,
    NODE_DRAIN_MIN_S = 5,     // least duration of the drain of a Node with a NodeClaim
    NODE_INSTANCE_POLL_S = 5, // interval of asking whether a terminated instance is gone
    NODE_RELEASE_WAIT_S = 5,  // least time between two removals of the finalizer
};

// Key: name of a Node.
extern const Controller node_termination_controller;
