// Internals of the Deployment controller.
#pragma once

#include "sim/workloads/workload.h"

// The existing ReplicaSets of a Deployment, oldest first, and the one with the present template (NULL: none yet).
typedef struct {
    SimWorkload **items;
    uint32_t count;
    SimWorkload *newest;
} Sets;

Sets deployment_sets(SimWorkload *deployment, Arena *arena);
// Finds or creates the ReplicaSet of the present template and sets its revision. NULL: to be retried later.
SimWorkload *deployment_make_set(SimWorkload *deployment, const Sets *sets);
// Sets the size of a ReplicaSet, with the annotations for proportional scaling. Returns whether anything was written.
bool deployment_scale_set(SimWorkload *deployment, SimWorkload *set, int64_t replicas);
// Whether spec.replicas differs from what the ReplicaSets were scaled for; deployment_scale distributes the difference.
bool deployment_is_scaling(const SimWorkload *deployment, const Sets *sets);
void deployment_scale(SimWorkload *deployment, const Sets *sets);
// Present target size of the newest ReplicaSet.
int64_t deployment_new_size(const SimWorkload *deployment, const Sets *sets);

uint32_t deployment_set_available(SimWorkload *set);
int64_t deployment_sets_replicas(const Sets *sets);  // Σ spec.replicas
int64_t deployment_sets_available(const Sets *sets); // Σ available pods
