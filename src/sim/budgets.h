// The PodDisruptionBudget controller of the embedded kube-controller-manager: writes to each budget's status how many
// of its pods may be evicted. The eviction itself is the API server's (sim/api/evict.c).
//
// Pods are counted as they change; a budget is recomputed once a round if it or one of its pods changed. A pod whose
// eviction was granted counts as gone for two minutes. Sources: Kubernetes' "Specifying a Disruption Budget for your
// Application"; the behaviour of k8s.io/kubernetes v1.36 pkg/controller/disruption.
//
// Left out: events; a stale condition DisruptionTarget of a pod becoming False after two minutes.
#pragma once

#include "sim/world.h"

// Adds the controller; the world owns it.
void sim_budgets_add(World *world);
