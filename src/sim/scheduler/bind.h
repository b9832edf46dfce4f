// Placing and binding.
#pragma once

#include "sim/scheduler/parts.h"

// bind.c: what follows from an attempt.
void scheduler_place(Scheduler *scheduler, uint32_t slot, const CacheResult *result);

// When the first pod that waits for its volumes gives up; INT64_MAX: nobody waits.
int64_t scheduler_binding_until(const Scheduler *scheduler);

// Pods whose volumes are bound by now, or will not be. Whether there were any. O(1) when no claim changed.
bool scheduler_bind_waiting(Scheduler *scheduler);
