// SimKubelets: the nodes' side of the embedded cluster: kubelets, and the controllers that manage Nodes and their pods.
//
// A running instance of the cloud boots, its kubelet creates the Node, the Node becomes ready, and device plugins
// register. Pods that are bound to it start, run, end, and take time to stop. When an instance or its kubelet dies, the
// Node becomes NotReady after 40 s, its pods are evicted by its taints, the cloud controller deletes Nodes whose
// instance is gone, and the pod garbage collector deletes their pods. CSI volumes are attached before a pod starts and
// detached after it is gone.
//
// Nothing is polled: each thing that is to happen has one alarm, each transition one write. Heartbeats are not written:
// a Node whose kubelet lives counts as up to date. A Node without an instance (applied by hand) has a kubelet while its
// condition Ready is True. Sources: Kubernetes' documentation (Nodes, Pod Lifecycle, Taint-based evictions, Persistent
// Volumes); reference lifecycle.md 2.4, 2.5, 8; aws.md 3 (labels of EKS nodes at registration).
//
// Annotations of pods that set their behaviour (seconds, decimals allowed):
//   sim.tenon.sh/start-seconds   from the pod's acceptance by the node (volumes attached) until it runs and is ready
//   sim.tenon.sh/run-seconds     until its containers end by themselves; without it only those of restartPolicy Never
//                                and OnFailure end
//   sim.tenon.sh/stop-seconds    from its deletion until it is gone; at most its grace period
//   sim.tenon.sh/exit-code       other than 0: its containers fail when they end
#pragma once

#include "sim/cloud/cloud_sim.h"
#include "sim/world.h"

typedef struct SimKubelets SimKubelets;

// Durations are uniform over a span; both ends 0: the default.
typedef struct {
    SimSpan join;           // from a running instance to its Node (8 to 16 s)
    SimSpan ready;          // from there to Ready (4 to 8 s)
    SimSpan cloud_init;     // until the cloud controller initializes the Node (0.2 to 1 s)
    SimSpan csi;            // from Ready to the CSI driver's registration (2 to 6 s)
    SimSpan device_plugin;  // from Ready to extended resources (10 to 30 s)
    SimSpan reboot;         // from a reboot until the kubelet answers again (30 to 60 s)
    SimSpan pod_start;      // (1 to 6 s)
    SimSpan pod_stop;       // (0.5 to 3 s)
    SimSpan job_run;        // of pods that end and have no run-seconds (30 to 120 s)
    SimSpan attach, detach; // of volumes (2 to 6 s each)
    int64_t grace_ns;       // node monitor grace period; 0: 40 s
    bool keeps_dead_nodes;  // without the cloud controller that deletes Nodes whose instance is gone
    bool reports_creating;  // writes ContainerCreating when a node accepts a pod: one more write per pod
    Slice csi_driver;       // empty: ebs.csi.aws.com
    int32_t csi_limit;      // volumes per node; 0: 25
} SimKubeletConfig;

// Makes the component and adds it to the world, which owns it. `cloud` may be NULL: then instances come only through
// sim_kubelets_change. `config` may be NULL. O(1).
SimKubelets *sim_kubelets_add(World *world, SimCloud *cloud, const SimKubeletConfig *config);

// Reports a new or changed instance, as the cloud does by itself; copied.
void sim_kubelets_change(SimKubelets *kubelets, const SimInstance *instance);

// Faults: the kubelet of a Node stops answering (network, or its process), and comes back. Return whether there is such
// a Node with an instance.
bool sim_kubelet_stop(SimKubelets *kubelets, Slice node);
bool sim_kubelet_start(SimKubelets *kubelets, Slice node);

// A condition that a Node reports beside those of every Node, as a detector of problems writes it.
typedef struct {
    Slice type, status, reason;
} SimNodeCondition;

// Fault: the Node reports the condition, in place of one of an earlier call, until its machine is rebooted. False:
// there is no such Node with an instance.
bool sim_kubelet_report(SimKubelets *kubelets, Slice node, const SimNodeCondition *condition);
// Its end: the condition says the opposite.
void sim_kubelet_recover(SimKubelets *kubelets, Slice node);

// Fault: the next `count` Nodes join and never become Ready (their network never comes up); replaces what is left of an
// earlier call. UINT32_MAX: all.
void sim_kubelets_never_ready(SimKubelets *kubelets, uint32_t count);

typedef struct {
    uint64_t pods_started, pods_stopped, pods_ended, pods_restarted, pods_evicted, pods_collected;
    uint64_t nodes_joined, nodes_lost, nodes_removed, volumes_attached, volumes_detached;
} SimKubeletCounts;
SimKubeletCounts sim_kubelets_counts(const SimKubelets *kubelets);
