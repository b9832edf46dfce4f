// How many pods the controllers of a budget's pods want: what percentages and maxUnavailable are taken of. Private to
// src/sim/budgets*.
#pragma once

#include "state/state.h"

typedef struct {
    OwnerReference owner;
    uint32_t pods; // of the budget
} PodController;

// The sum over the controllers, each once: a Deployment stands for its ReplicaSets. ERR_INVALID: one of them is unknown
// or has no scale (a Job, a DaemonSet); the text is the real controller's. O(controllers).
ErrCode pod_controllers_scale(Kube kube, Arena *arena, const State *state, Symbol ns, const PodController *controllers,
                              uint32_t count, int64_t *ret_scale, Err *err);
