// The lives of pods on their Nodes.
#pragma once

#include "sim/kubelet/parts.h"

void kubelet_pod_tend(SimKubelets *kubelets, Handle handle);

// The pod is gone, or another one has its slot.
void kubelet_pod_forget(KubeletPod *record);
