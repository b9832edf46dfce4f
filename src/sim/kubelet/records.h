// Records of pods and Nodes, and which of them are due.
#pragma once

#include "sim/kubelet/parts.h"

KubeletPod *kubelet_pod_record(SimKubelets *kubelets, Handle pod);
KubeletNode *kubelet_node_note(SimKubelets *kubelets, Handle node);
void kubelet_pod_due(SimKubelets *kubelets, Handle pod);
void kubelet_node_due(SimKubelets *kubelets, Handle node);
void kubelet_node_pods_due(SimKubelets *kubelets, Handle node);
