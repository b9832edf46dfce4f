// The drift hash of an EC2NodeClass: annotation karpenter.k8s.aws/ec2nodeclass-hash, version v6 (Karpenter 1.15).
//
// Identical to Karpenter's bit for bit, so that taking over a cluster makes no node drift. It is computed from the
// stored object, with the defaults of the CRD, and not from the decoded struct: every field of the spec counts except
// the selectors. Behaviour: reference aws.md 1.4, changes.md 7; karpenter-provider-aws v1.15.1.
#pragma once

#include "text/value.h"

#define EC2_NODE_CLASS_HASH_VERSION "v6"

// Computes the hash; the annotation's value is this number in decimal. `class`: the object from the API server.
// `ca_bundle`: the cluster's, in Base64, empty when there is none. `scratch`: used during the call. O(size of the
// spec). ERR_INVALID: a field does not have the type that the CRD gives it; the text names it.
ErrCode ec2_node_class_hash(Arena *scratch, const Value *class, Slice ca_bundle, uint64_t *ret_hash, Err *err);
