// The embedded kube-scheduler and the volume provisioner, components of a world.
//
// Semantics of kube-scheduler 1.34 to 1.36 with its default profile: queues, filters, scores, preemption, binding,
// texts of its conditions (docs/design/sim-scheduler.md says what is left out). It shares no code with src/sched, so it
// judges tenon's plans independently. Behaviour: Kubernetes' documentation of scheduling, and observation of v1.36.1.
#pragma once

#include "sim/world.h"

typedef struct {
    uint32_t cycles_per_s; // attempts per virtual second; 0: 200 (real ones do 100 to 300)
    uint32_t
        nodes_to_score; // percentageOfNodesToScore; 0: adaptive, from 50 % down to 5 % with the size of the cluster
    bool name_taints;   // as up to v1.34: "untolerated taint {key: value}"; later versions do not name the taint
} SimSchedulerConfig;

// `config` may be NULL. Only pods whose schedulerName is default-scheduler or unset are scheduled.
void sim_scheduler_add(World *world, const SimSchedulerConfig *config);

typedef struct {
    int64_t latency_ns; // from the selection of a node to a bound volume; 0: 3 s
} SimProvisionerConfig;

// The provisioner of a CSI driver and the volume binder of kube-controller-manager: gives claims of classes with a
// provisioner their PersistentVolume, in the zone of the selected node if the class waits for a consumer. `config` may
// be NULL.
void sim_provisioner_add(World *world, const SimProvisionerConfig *config);
