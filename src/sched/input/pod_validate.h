// Validation of pod specs: what tenon, as Karpenter, refuses to plan. Reference scheduling.md 4.1.
#pragma once

#include "model/objects.h"

// Empty when the spec can be planned, else Karpenter's complaints joined with "; ": the pod excludes Karpenter's nodes,
// or a label of its nodeSelector or of any required node affinity term may not be used, or a term has matchFields. When
// the spec is larger than is read of one pod, that is the only complaint. Preferences are not validated, and volumes
// are elsewhere (sched/input/volumes.h). O(expressions).
Slice pod_spec_complaint(Arena *arena, Symbols *symbols, const PodSpec *spec);

// The complaint that counts for running pods too, which need another place: the spec is larger than is read of one pod
// (model/pod_bounds.h), or asks for devices by resource claims, which nothing here places. Empty: none. O(size of the
// spec).
Slice pod_moving_complaint(Arena *arena, const PodSpec *spec);
