// Scale of a budget's pods: the number of pods that their controllers want, from which percentages and maxUnavailable
// are computed. Private to src/sim/budgets*.
#pragma once

#include "state/state.h"

typedef struct {
    OwnerReference owner;
    uint32_t pods; // of the budget
} PodController;

// The sum over the controllers, each once: a Deployment counts for its ReplicaSets. ERR_INVALID: one of them is unknown
// or has no scale (a Job, a DaemonSet); the text is the real controller's. O(controllers).
ErrCode pod_controllers_scale(Kube kube, Arena *arena, const State *state, Symbol ns, const PodController *controllers,
                              uint32_t count, int64_t *ret_scale, Err *err);
