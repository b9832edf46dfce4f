// What is remembered of pods that are not ready yet, for the metrics of their waiting: when they were first seen, first
// looked at by a plan, first placed by one. Private to src/obs.
//
// Keyed by uid. An entry goes when its pod is ready, over or gone, so memory is bounded by the pods that wait. One
// lock: the engine's thread writes, whoever prints a page reads.
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
void pod_memory_see(PodMemory *memory, Symbol uid, Mono now); // the first time counts
// What is known of the pod; false: nothing.
bool pod_memory_get(PodMemory *memory, Symbol uid, PodTimes *ret_times);
// Sets `decided` and `placed` where they are not set; false: the pod is not known. ret_times: as they were before.
bool pod_memory_decide(PodMemory *memory, Symbol uid, bool placed, Mono now, PodTimes *ret_times);
void pod_memory_forget(PodMemory *memory, Symbol uid);
void pod_memory_clear(PodMemory *memory);
uint32_t pod_memory_count(PodMemory *memory);
