// What is remembered of Pods and Nodes, and which are to be looked at.
#include "sim/kubelet/records.h"

#include "sim/kubelet/pod_life.h"

#include <stdlib.h>

KubeletPod *kubelet_pod_record(SimKubelets *kubelets, Handle pod) {
    uint32_t chunk = pod.index / POD_CHUNK;
    KubeletPod *record;

    if (chunk >= kubelets->chunk_count) {
        kubelets->pod_chunks = realloc(kubelets->pod_chunks, (chunk + 1) * sizeof *kubelets->pod_chunks);
        CHECK(kubelets->pod_chunks, "no memory for %u pods", pod.index);
        for (; kubelets->chunk_count <= chunk; kubelets->chunk_count++) {
            kubelets->pod_chunks[kubelets->chunk_count] = calloc(POD_CHUNK, sizeof(KubeletPod));
            CHECK(kubelets->pod_chunks[kubelets->chunk_count], "no memory for %u pods", pod.index);
        }
    }
    record = &kubelets->pod_chunks[chunk][pod.index % POD_CHUNK];
    if (!handle_eq(record->handle, pod)) {
        kubelet_pod_forget(record);
        *record = (KubeletPod){.kubelets = kubelets, .handle = pod};
    }
    return record;
}

KubeletNode *kubelet_node_note(SimKubelets *kubelets, Handle node) {
    if (node.index >= kubelets->node_count) {
        uint32_t count = kubelets->node_count ? kubelets->node_count : 64;

        while (count <= node.index)
            count *= 2;
        kubelets->nodes = realloc(kubelets->nodes, count * sizeof *kubelets->nodes);
        CHECK(kubelets->nodes, "no memory for %u nodes", count);
        memset(kubelets->nodes + kubelets->node_count, 0, (count - kubelets->node_count) * sizeof *kubelets->nodes);
        kubelets->node_count = count;
    }
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
