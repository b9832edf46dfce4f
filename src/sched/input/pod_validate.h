// What a pod asks for that can never be planned: reference scheduling.md 4.1.
#pragma once

#include "model/objects.h"

// Empty when the spec can be planned, else Karpenter's complaints joined with "; ": the pod keeps away from Karpenter's
// nodes, or a label of its nodeSelector or of any required node-affinity term may not be used, or a term has
// matchFields; or it asks more than is read of one pod, which is said alone. Preferences are not looked at, volumes
// neither (sched/input/volumes.h). O(expressions).
Slice pod_spec_complaint(Arena *arena, Symbols *symbols, const PodSpec *spec);

// The part of it that says that the pod asks more than is read of one pod (model/pod_bounds.h): that holds of pods that
// ran before, too. O(size of the spec).
Slice pod_size_complaint(Arena *arena, const PodSpec *spec);
