// What changes wake waiting pods.
#pragma once

#include "sim/scheduler/parts.h"

// scheduler/events.c: takes in everything that was told since the last time. Whether there was anything.
bool scheduler_take_changes(Scheduler *scheduler);

// Wakes the waiting pods that a pod on a node concerns; to be called before it is forgotten.
void scheduler_wake_for_pod(Scheduler *scheduler, uint32_t slot, bool placed);
