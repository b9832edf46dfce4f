// Binding pods.
#pragma once

#include "sim/scheduler/parts.h"

// Handles the result of an attempt (bind.c).
void scheduler_place(Scheduler *scheduler, uint32_t slot, const CacheResult *result);

// When the first pod that waits for its volumes times out; INT64_MAX: no pod waits.
int64_t scheduler_binding_until(const Scheduler *scheduler);

// Handles pods whose volumes were bound or cannot be bound; returns whether there were any. O(1) when no claim changed.
bool scheduler_bind_waiting(Scheduler *scheduler);
