// The lives of machines.
#pragma once

#include "sim/kubelet/parts.h"

KubeletMachine *kubelet_machine_of_node(SimKubelets *kubelets, const Node *node); // NULL: none behind it
bool kubelet_machine_is_alive(const KubeletMachine *machine);

// Whether a kubelet works on that Node.
bool kubelet_node_is_served(SimKubelets *kubelets, const Node *node);
void kubelet_machine_observe_node(SimKubelets *kubelets, const StateChange *change);
void kubelet_machine_free(KubeletMachine *machine);
