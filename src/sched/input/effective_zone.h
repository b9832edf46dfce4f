// The zone that a pending pod is restricted to: label `zone` of the metric
// karpenter_scheduler_pending_pods_by_effective_zone_count. Reference scheduling.md 6.4.
#pragma once

#include "sched/input/volumes.h"

// The zone's name when exactly one is left, "flexible" when several are or nothing constrains the zone, "none" when the
// constraints exclude each other.
// `pod_zone`: the pod's strict requirement on topology.kubernetes.io/zone, or NULL.
// `volumes`: its volume alternatives, OR-ed; an alternative that leaves the zone open leaves it open altogether.
// `valid`: zones that topology spread and pod affinity still allow, or NULL when neither is about zones.
// The text lives as long as the symbols. O(zones × alternatives × log zones).
Slice effective_zone(const Symbols *symbols, const Requirement *pod_zone, const RequirementsVec *volumes,
                     const SymbolVec *valid);
