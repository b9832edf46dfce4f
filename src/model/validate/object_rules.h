// What one object means for another: rules that hold for manifests and for a living cluster alike.
#pragma once

#include "model/objects.h"

// What admission makes of a pod's spec: overhead (unless it has one), node selector and tolerations of its class.
void pod_spec_apply_runtime_class(Arena *arena, const RuntimeClass *class, PodSpec *spec);

// A copy of a DaemonSet's spec as its pods have it: the tolerations that its controller gives to every pod, and what
// the RuntimeClass says; NULL: none, or applied before.
const PodSpec *daemon_pod_spec(Arena *arena, Symbols *symbols, const DaemonSet *daemon_set, const RuntimeClass *class);

// Why the pool gets no nodes; empty: it may get some. The runtime validation, deletion, its condition Ready, then
// `class_complaint`.
Slice node_pool_not_ready(Arena *arena, Symbols *symbols, const NodePool *pool, Slice class_complaint);
// What a node class has against its pools: that it goes away, `own`, or a condition Ready that is not True.
Slice node_class_complaint(Arena *arena, const Symbols *symbols, const ObjectMeta *meta, const ConditionVec *conditions,
                           Slice own);

// The class for claims that name none: of those marked as default the newest, then the first by name. NULL: no such.
const StorageClass *default_storage_class(const Symbols *symbols, const StorageClassVec *classes);
