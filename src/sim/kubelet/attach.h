// Attaching volumes and letting go of them.
#pragma once

#include "sim/kubelet/parts.h"

// Has the volumes of a bound pod attached.
VolumesState kubelet_volumes_attach(SimKubelets *kubelets, KubeletPod *record, const Pod *pod);
void kubelet_volumes_release(KubeletPod *record);

// Pods whose volumes are blocked are looked at again.
void kubelet_volumes_changed(SimKubelets *kubelets);
void kubelet_attachment_free(Attachment *attachment);
