// The drift hash of a NodePool: annotation karpenter.sh/nodepool-hash, version v3.
//
// A hash of spec.template without its requirements, identical to Karpenter's bit for bit, so that taking over a cluster
// makes no node drift. Reference scheduling.md 1.9 and lifecycle.md 5.2 (the structural hash of mitchellh/hashstructure
// over FNV-1).
#pragma once

#include "model/objects.h"

#define NODE_POOL_HASH_VERSION "v3"

// Computes the hash; the annotation's value is this number in decimal. O(size of the template).
uint64_t node_pool_hash(const Symbols *symbols, const NodePool *pool);
