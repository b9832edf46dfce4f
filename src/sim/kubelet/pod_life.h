// Life cycle of pods on their Nodes.
#pragma once

#include "sim/kubelet/parts.h"

void kubelet_pod_tend(SimKubelets *kubelets, Handle handle);

// Drops the record of a pod that is gone, or whose slot another pod has now.
void kubelet_pod_forget(KubeletPod *record);
