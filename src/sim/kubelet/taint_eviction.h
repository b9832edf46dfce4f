// The controller that evicts pods from tainted Nodes.
#pragma once

#include "sim/kubelet/parts.h"

// Evicts the pod from a node whose taints it does not bear, now or later.
void kubelet_eviction_tend(SimKubelets *kubelets, KubeletPod *record, const Pod *pod, const Node *node);
void kubelet_eviction_cancel(KubeletPod *record);
