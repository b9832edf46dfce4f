// The drift hash of an EC2NodeClass: annotation karpenter.k8s.aws/ec2nodeclass-hash, version v6 (Karpenter 1.15).
//
// Bit for bit Karpenter's, so that a takeover of a cluster drifts no node. It is made from what the API server stores,
// with the defaults of the definition filled in, and not from what is decoded of it: each field of the spec counts but
// for the selectors. Behaviour: reference aws.md 1.4, changes.md 7; karpenter-provider-aws v1.15.1.
#pragma once

#include "text/value.h"

#define EC2_NODE_CLASS_HASH_VERSION "v6"

// The annotation's value is this number in decimal. `class`: the object as the API server gave it. `ca_bundle`: of the
// cluster, in Base64, empty when there is none. `scratch`: used while it runs. O(size of the spec).
// ERR_INVALID: a field is not of the type that the definition says; the text names it.
ErrCode ec2_node_class_hash(Arena *scratch, const Value *class, Slice ca_bundle, uint64_t *ret_hash, Err *err);
