// Workloads of fleets.
#pragma once

#include "scene.h"

// 500 workloads of small and middle sizes: a quarter spread over zones, an eighth with one pod a node; on types of EC2
// up to 32 CPUs, on demand.
void workload_mixed(Scene *scene, uint32_t pods, uint64_t seed);
