// Attaching and detaching volumes.
#pragma once

#include "sim/kubelet/parts.h"

// Attaches the volumes of a bound pod.
VolumesState kubelet_volumes_attach(SimKubelets *kubelets, KubeletPod *record, const Pod *pod);
void kubelet_volumes_release(KubeletPod *record);

// Looks again at pods whose volumes are blocked.
void kubelet_volumes_changed(SimKubelets *kubelets);
void kubelet_attachment_free(Attachment *attachment);
