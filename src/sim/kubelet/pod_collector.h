// The pod garbage collector: deletes pods of Nodes that no longer exist.
#pragma once

#include "sim/kubelet/parts.h"

// Watches a node name without a Node: its pods are deleted after a while.
void kubelet_ghost_tend(SimKubelets *kubelets, Symbol node_name);
void kubelet_ghost_free(Ghost *ghost);
