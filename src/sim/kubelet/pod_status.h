// Pod statuses that kubelets and controllers write.
#pragma once

#include "sim/kubelet/parts.h"

void kubelet_pod_write_creating(SimKubelets *kubelets, const KubeletPod *record, const Pod *pod);
void kubelet_pod_write_running(SimKubelets *kubelets, const KubeletPod *record, const Pod *pod);
void kubelet_pod_write_ready(SimKubelets *kubelets, const Pod *pod, bool ready);
void kubelet_pod_write_over(SimKubelets *kubelets, const KubeletPod *record, const Pod *pod, bool succeeded);
void kubelet_pod_write_crashed(SimKubelets *kubelets, const KubeletPod *record, const Pod *pod);

// phase Failed, with the condition DisruptionTarget
void kubelet_pod_write_collected(SimKubelets *kubelets, const Pod *pod);
void kubelet_pod_write_target(SimKubelets *kubelets, const Pod *pod, const char *reason, const char *message);

// Removes the object: deletion without grace period.
void kubelet_pod_remove(SimKubelets *kubelets, const Pod *pod);
