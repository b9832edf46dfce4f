// The parts of the Deployment controller.
#pragma once

#include "sim/workloads/workload.h"

// Its ReplicaSets that are there, oldest first, and the one with the present template (NULL: none yet).
typedef struct {
    SimWorkload **items;
    uint32_t count;
    SimWorkload *newest;
} Sets;

Sets deployment_sets(SimWorkload *deployment, Arena *arena);
// Finds or creates the ReplicaSet of the present template and numbers it. NULL: tried again later.
SimWorkload *deployment_make_set(SimWorkload *deployment, const Sets *sets);
// Sets the size of a ReplicaSet, with the annotations that proportional scaling reads. Whether anything was written.
bool deployment_scale_set(SimWorkload *deployment, SimWorkload *set, int64_t replicas);
// The wish for another number of pods than the ReplicaSets know of: shared out among them.
bool deployment_is_scaling(const SimWorkload *deployment, const Sets *sets);
void deployment_scale(SimWorkload *deployment, const Sets *sets);
// How large the newest ReplicaSet may be now.
int64_t deployment_new_size(const SimWorkload *deployment, const Sets *sets);

uint32_t deployment_set_available(SimWorkload *set);
int64_t deployment_sets_replicas(const Sets *sets);  // Σ spec.replicas
int64_t deployment_sets_available(const Sets *sets); // Σ available pods
