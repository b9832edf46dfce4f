// The labels and taints that a node registers with. Reference aws.md 5.5.
#pragma once

#include "cloud/aws/userdata/userdata.h"
#include "model/objects.h"

// The claim's labels and those of its launch (capacity type; that taints are not to be synchronised, but for Custom),
// without those that a kubelet may not set: of the domains kubernetes.io, k8s.io and what ends in them. Sorted by key.
// Texts are the symbols'. O(n log n).
TextEntryVec node_labels(Arena *arena, const Symbols *symbols, const Labels *labels, Symbol capacity_type,
                         const AmiFamily *family);

// The claim's taints, then its startup taints, then karpenter.sh/unregistered:NoExecute unless it is among them.
// O(taints).
NodeTaintVec node_taints(Arena *arena, const Symbols *symbols, const TaintVec *taints, const TaintVec *startup_taints);

// "key=value:Effect", or "key:Effect" without a value.
Slice node_taint_print(Arena *arena, const NodeTaint *taint);
