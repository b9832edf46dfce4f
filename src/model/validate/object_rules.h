// Rules between objects, for manifests and live clusters alike.
#pragma once

#include "model/objects.h"

// Applies a RuntimeClass to a pod's spec, as admission does: overhead (unless the spec has one), node selector and
// tolerations.
void pod_spec_apply_runtime_class(Arena *arena, const RuntimeClass *class, PodSpec *spec);

// A copy of a DaemonSet's spec as its pods have it: with the tolerations that its controller adds, and with the
// RuntimeClass applied; `class` NULL: none, or applied before.
const PodSpec *daemon_pod_spec(Arena *arena, Symbols *symbols, const DaemonSet *daemon_set, const RuntimeClass *class);

// Why the pool gets no nodes; empty: it may get some. Checks in this order: runtime validation, deletion, condition
// Ready, `class_complaint`.
Slice node_pool_not_ready(Arena *arena, Symbols *symbols, const NodePool *pool, Slice class_complaint);
// Why a NodeClass cannot be used by its pools: it is being deleted, `own`, or condition Ready is not True; empty: it
// can.
Slice node_class_complaint(Arena *arena, const Symbols *symbols, const ObjectMeta *meta, const ConditionVec *conditions,
                           Slice own);

// The StorageClass for claims that name none: of those marked as default the newest, then the first by name. NULL:
// none.
const StorageClass *default_storage_class(const Symbols *symbols, const StorageClassVec *classes);
