// KubeletMachine: an instance and its kubelet.
#pragma once

#include "sim/kubelet/parts.h"

KubeletMachine *kubelet_machine_of_node(SimKubelets *kubelets, const Node *node); // NULL: the Node has none
bool kubelet_machine_is_alive(const KubeletMachine *machine);

// Whether a live kubelet serves the Node.
bool kubelet_node_is_served(SimKubelets *kubelets, const Node *node);
void kubelet_machine_observe_node(SimKubelets *kubelets, const StateChange *change);
void kubelet_machine_free(KubeletMachine *machine);
