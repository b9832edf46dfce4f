// The embedded kube-scheduler and the volume provisioner, as components of a world.
//
// Semantics of kube-scheduler 1.34 to 1.36 with its default profile: queues, filters, scores, preemption, binding, the
// texts of its conditions (docs/design/sim-scheduler.md says what is left out). It shares no code with src/sched: what
// tenon plans is judged here a second time. Behaviour: Kubernetes' documentation of scheduling, and v1.36.1 observed.
#pragma once

#include "sim/world.h"

typedef struct {
    uint32_t cycles_per_s;   // pods looked at in a virtual second; 0: 200 (real ones do 100 to 300)
    uint32_t nodes_to_score; // percentageOfNodesToScore; 0: adaptive, 50 % falling to 5 % with the size of the cluster
    bool name_taints; // up to v1.34: "untolerated taint {key: value}"; later versions do not say which taint it was
} SimSchedulerConfig;

// `config` may be NULL. Only pods whose schedulerName is default-scheduler or not set are looked at.
void sim_scheduler_add(World *world, const SimSchedulerConfig *config);

typedef struct {
    int64_t latency_ns; // from selection of a node to a bound volume; 0: 3 s
} SimProvisionerConfig;

// What a CSI driver's provisioner and the volume binder of kube-controller-manager do: gives claims of classes with a
// provisioner their PersistentVolume, in the zone of the selected node when the class waits for a consumer.
// `config` may be NULL.
void sim_provisioner_add(World *world, const SimProvisionerConfig *config);
