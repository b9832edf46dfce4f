// The ReplicaSet controller.
#pragma once

#include "sim/workloads/workload.h"

// Number of pods that have been ready for `min_ready_s`; sets *alarm for the next one. O(1) when that is 0, else
// O(pods).
uint32_t workload_available(SimWorkload *workload, int64_t min_ready_s, Alarm *alarm);
