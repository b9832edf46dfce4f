// Records of pods and Nodes, and which of them are due.
#include "sim/kubelet/records.h"

#include "base/alloc.h"
#include "sim/kubelet/pod_life.h"

#include <stdlib.h>

KubeletPod *kubelet_pod_record(SimKubelets *kubelets, Handle pod) {
    uint32_t chunk = pod.index / POD_CHUNK;
    KubeletPod *record;

    if (chunk >= kubelets->chunk_count) {
        RESIZE(kubelets->pod_chunks, chunk + 1);
        for (; kubelets->chunk_count <= chunk; kubelets->chunk_count++)
            kubelets->pod_chunks[kubelets->chunk_count] = NEW_ARRAY(KubeletPod, POD_CHUNK);
    }
    record = &kubelets->pod_chunks[chunk][pod.index % POD_CHUNK];
    if (!handle_eq(record->handle, pod)) {
        kubelet_pod_forget(record);
        *record = (KubeletPod){.kubelets = kubelets, .handle = pod};
    }
    return record;
}

KubeletNode *kubelet_node_note(SimKubelets *kubelets, Handle node) {
    GROW(kubelets->nodes, kubelets->node_capacity, node.index + 1);
    if (kubelets->nodes[node.index].generation != node.generation)
        kubelets->nodes[node.index] = (KubeletNode){.generation = node.generation};
    return &kubelets->nodes[node.index];
}

void kubelet_pod_due(SimKubelets *kubelets, Handle pod) {
    KubeletPod *record = kubelet_pod_record(kubelets, pod);

    if (record->due)
        return;
    record->due = true;
    vec_push(&kubelets->arena, &kubelets->due_pods, pod);
}

void kubelet_node_due(SimKubelets *kubelets, Handle node) {
    KubeletNode *note = kubelet_node_note(kubelets, node);

    if (note->due)
        return;
    note->due = true;
    vec_push(&kubelets->arena, &kubelets->due_nodes, node);
}

void kubelet_node_pods_due(SimKubelets *kubelets, Handle node) {
    kubelet_node_note(kubelets, node)->pods_due = true;
    kubelet_node_due(kubelets, node);
}
