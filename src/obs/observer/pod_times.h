// PodMemory: times of pods that are not ready yet, for metrics of their waiting: when a pod was first seen, first
// considered by a plan, first placed by one. Private to src/obs.
//
// Keyed by uid. An entry is removed when its pod is ready, terminal or gone, so memory is bounded by the number of
// waiting pods. Guarded by a lock: the engine's thread writes, the thread that prints a page reads.
#pragma once

#include "base/time.h"
#include "model/pod.h"

#include <pthread.h>

typedef struct {
    Symbol uid;
    Mono seen, decided, placed;
} PodTimes;

typedef struct PodMemory PodMemory;

PodMemory *pod_memory_new(void);
void pod_memory_free(PodMemory *memory);

// All O(1).
void pod_memory_see(PodMemory *memory, Symbol uid, Mono now); // the first call counts
// The times of a pod; false: unknown.
bool pod_memory_get(PodMemory *memory, Symbol uid, PodTimes *ret_times);
// Sets `decided` and `placed` if they are not set. False: the pod is unknown. ret_times: as they were before.
bool pod_memory_decide(PodMemory *memory, Symbol uid, bool placed, Mono now, PodTimes *ret_times);
void pod_memory_forget(PodMemory *memory, Symbol uid);
void pod_memory_clear(PodMemory *memory);
uint32_t pod_memory_count(PodMemory *memory);
