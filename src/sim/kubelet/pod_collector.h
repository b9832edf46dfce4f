// The controller that removes pods of Nodes that are gone.
#pragma once

#include "sim/kubelet/parts.h"

// Pods are bound to a name that no Node has: they go after a while.
void kubelet_ghost_tend(SimKubelets *kubelets, Symbol node_name);
void kubelet_ghost_free(Ghost *ghost);
