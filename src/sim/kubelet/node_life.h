// The node lifecycle controller: readiness, and the taints that follow from it.
#pragma once

#include "sim/kubelet/parts.h"

NodeReadiness kubelet_node_readiness(const SimKubelets *kubelets, const Node *node);

// Sets the taints that follow from conditions and cordons.
void kubelet_node_tend(SimKubelets *kubelets, Handle node);

// Marks a Node as unknown whose kubelet has been silent for too long.
void kubelet_node_mark_unknown(SimKubelets *kubelets, Handle node);
