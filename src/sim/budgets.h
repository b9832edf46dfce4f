// The PodDisruptionBudget controller of the embedded kube-controller-manager: says in each budget's status how many of
// its pods may be evicted now. The eviction itself is the API server's (sim/api/evict.c).
//
// Pods are counted as they change; a budget is worked out again when its own pods or it itself changed, once a round. A
// pod whose eviction was granted counts as gone for two minutes, whether it goes or not.
// Sources: Kubernetes' "Specifying a Disruption Budget for your Application"; the behaviour of k8s.io/kubernetes v1.36
// pkg/controller/disruption.
//
// Left out: events, and that a stale condition DisruptionTarget of a pod becomes False after two minutes.
#pragma once

#include "sim/world.h"

// Adds the controller; the world owns it.
void sim_budgets_add(World *world);
