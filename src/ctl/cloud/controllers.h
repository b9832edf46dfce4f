// Controllers by which a cloud learns of NodeClaims and their Nodes, and the other way round. Behaviour: reference
// aws.md 7.3, 7.5, 7.6.
#pragma once

#include "ctl/ctl.h"

// nodeclaim.tagging: once a NodeClaim is registered, its instance is named after it and its Node; that is noted in
// annotations of the claim. Key: name of a NodeClaim.
extern const Controller claim_tagging_controller;

// providers.instancetype.capacity: the memory that a Node reports when it is registered is told to the cloud, which
// knows its types better then; Nodes that are registered already are told of at the start. Key: name of a Node.
extern const Controller learned_capacity_controller;

// capacityreservation.capacitytype: every minute the labels of NodeClaims and Nodes that count as reserved are compared
// with their instances, if there are any. An instance that outlived its reservation is an on-demand one. Key: {0}.
extern const Controller capacity_type_controller;
