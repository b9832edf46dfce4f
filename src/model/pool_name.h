// The names of pools. Beside NodePools there are the Provisioners of 2023, which the rest of tenon sees as NodePools
// (docs/design/legacy.md). Identity is kind and name: a Provisioner's pool is named "provisioner/<name>", which no
// NodePool of a cluster can be, so that both may have one name.
#pragma once

#include "model/labels.h"

// What such names begin with: of pools, and of the NodeClaims that Machines are seen as.
#define PROVISIONER_PREFIX "provisioner/"
#define MACHINE_PREFIX     "machine/"

// The name of the Provisioner that the pool of that name is; empty: it is a NodePool. O(1).
Slice pool_provisioner(Slice name);
// The name of the Provisioner's pool, in a new symbol unless there is one. O(1).
Symbol pool_of_provisioner(Symbols *symbols, Slice provisioner);
// Whether the pool is a Provisioner's; INDEX_NONE is none's. O(1).
bool pool_is_provisioner(const Symbols *symbols, Symbol pool);

// Sets the labels that say of which pool a node is: karpenter.sh/nodepool, and of a Provisioner
// karpenter.sh/provisioner-name as well. Reference legacy.md 4.
void pool_mark(Arena *arena, Symbols *symbols, Labels *labels, Symbol pool);
