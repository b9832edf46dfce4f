// Bounds of what one pod may ask of a plan.
//
// The API server bounds a pod by its size alone (1.5 MiB in etcd): thousands of terms, values or ports fit, and whoever
// may create a pod may write them. What a plan costs grows with each, for everybody. So of one pod so much is read as
// no honest pod has. Rules that must hold are never read in part, for kube-scheduler holds to all of them: a pod with
// more is set aside as a whole. Preferences may be dropped: those with the lowest weights are. docs/plan.md has the
// table.
#pragma once

#include "model/pod.h"

// What must hold: name, how many, and what they are.
#define POD_BOUNDS(X)                                                                                                  \
    X(RESOURCES, 64, "names of resources")                                                                             \
    X(NODE_SELECTOR, 100, "labels in the nodeSelector")                                                                \
    X(NODE_TERMS, 64, "terms of required node affinity")                                                               \
    X(NODE_EXPRESSIONS, 512, "expressions of required node affinity")                                                  \
    X(NODE_VALUES, 2048, "values of required node affinity")                                                           \
    X(AFFINITY_TERMS, 64, "terms of required pod affinity")                                                            \
    X(ANTI_AFFINITY_TERMS, 64, "terms of required pod anti-affinity")                                                  \
    X(SPREADS, 32, "topology spread constraints with DoNotSchedule")                                                   \
    X(SELECTORS, 2048, "expressions, values and namespaces in required rules about other pods")                        \
    X(TOLERATIONS, 256, "tolerations")                                                                                 \
    X(HOST_PORTS, 1024, "host ports")                                                                                  \
    X(VOLUMES, 256, "volumes with a claim")

typedef enum {
#define X(name, most, what) POD_BOUND_##name,
    POD_BOUNDS(X)
#undef X
        POD_BOUND_COUNT // none: within all bounds
} PodBound;

// Of each kind of preference: preferred node terms, preferred terms of pod affinity, of pod anti-affinity, and spread
// constraints with ScheduleAnyway; and the expressions, values and namespaces in all preferences of a kind.
enum { POD_PREFERENCES_MAX = 32, POD_PREFERENCE_WORDS_MAX = 2048 };

// The first bound that a spec is over, with how many it has; POD_BOUND_COUNT: none. O(size of the spec).
PodBound pod_bound_exceeded(const PodSpec *spec, uint64_t *ret_count);
// "6000 terms of required pod anti-affinity, more than the 64 that are planned for; …".
Slice pod_bound_text(Arena *arena, PodBound bound, uint64_t count);

// Required anti-affinity terms that are read of a pod that has a node: at most as many as the bound. What is beyond
// counts against all pods that it may reach (sched/bin/bound_rules.h).
static inline uint32_t pod_anti_affinity_read(const PodSpec *spec) {
    return spec->anti_affinity.required.count < 64 ? spec->anti_affinity.required.count : 64;
}

// Drops preferences over the bounds, the lowest weights first and of equal ones the later, and counts them in the spec.
// The order of those that stay is kept. O(size of the spec).
void pod_preferences_bound(PodSpec *spec);
// "5968 preferences are not planned for, those with the lowest weights: …".
Slice pod_preferences_text(Arena *arena, uint32_t dropped);
