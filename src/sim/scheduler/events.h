// Changes that wake waiting pods.
#pragma once

#include "sim/scheduler/parts.h"

// Handles all changes since the last call; returns whether there were any.
bool scheduler_take_changes(Scheduler *scheduler);

// Wakes the waiting pods that a pod on a node concerns; to be called before the pod is dropped.
void scheduler_wake_for_pod(Scheduler *scheduler, uint32_t slot, bool placed);
