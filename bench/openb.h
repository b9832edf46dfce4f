// Sizes of real pods: the joint distribution of CPU and memory in Alibaba's "openb" trace, as a table to draw from.
//
// Source: the pod list of cluster-trace-gpu-v2023 (repository alibaba/clusterdata), 8,152 pods of a production cluster.
// Kept is how often each pair of sizes occurs, in millionths, not the list: order, names, times, GPUs are gone.
#pragma once

#include <stdint.h>

typedef struct {
    int32_t cpu_milli, memory_mib;
    int32_t millionths; // share of the pods
} OpenbShape;

extern const OpenbShape openb_shapes[];
extern const uint32_t openb_shape_count;

// Draws `count` shapes (indexes into the table) in random order. Every shape occurs as often as its share says, rounded
// up or down: the sum of sizes of a draw differs little from the trace's. O(count).
void openb_draw(uint64_t seed, uint32_t count, uint32_t *ret_shapes);
