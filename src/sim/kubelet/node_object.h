// Nodes and CSINodes as kubelets write them.
#pragma once

#include "sim/kubelet/parts.h"

Value kubelet_node_object(const KubeletMachine *machine, Arena *arena);
Value kubelet_csi_node_object(const KubeletMachine *machine, Arena *arena, const Node *node);
Value kubelet_node_ready_patch(const KubeletMachine *machine, Arena *arena, int64_t now_ns, bool ready);
// The status of a Node whose machine has just restarted: another boot id, and not ready.
Value kubelet_node_booted_patch(const KubeletMachine *machine, Arena *arena, int64_t now_ns);
Value kubelet_node_devices_patch(const KubeletMachine *machine, Arena *arena);
bool kubelet_machine_has_devices(const KubeletMachine *machine);
