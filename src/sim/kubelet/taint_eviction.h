// The taint eviction controller.
#pragma once

#include "sim/kubelet/parts.h"

// Evicts the pod, now or later, if it does not tolerate its node's NoExecute taints.
void kubelet_eviction_tend(SimKubelets *kubelets, KubeletPod *record, const Pod *pod, const Node *node);
void kubelet_eviction_cancel(KubeletPod *record);
