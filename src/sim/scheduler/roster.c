// The usher itself: made, freed, asked.
#include <stdlib.h>

#include "sim/scheduler/usher_parts.h"

Usher *usher_new(Symbols *symbols, const UsherSources *sources, Random random) {
    Usher *usher = calloc(1, sizeof *usher);

    CHECK(usher, "out of memory");
    usher->symbols = symbols;
    usher->sources = *sources;
    usher->random = random;
    usher->epoch = 1;
    usher->services_epoch = 1;
    usher_column(usher, NAME_CPU);
    usher_column(usher, NAME_MEMORY);
    return usher;
}

void usher_set_nodes_to_score(Usher *usher, uint32_t percentage) {
    usher->percentage = percentage;
}

void usher_set_name_taints(Usher *usher, bool name_taints) {
    usher->name_taints = name_taints;
}

static void free_nodes(Usher *usher) {
    for (uint32_t i = 0; i < usher->node_count; i++) {
        arena_free(&usher->nodes[i].arena);
        free(usher->nodes[i].nominated.items);
        free(usher->nodes[i].ports);
    }
    for (uint32_t i = 0; i < usher->column_count; i++) {
        free(usher->columns[i].allocatable);
        free(usher->columns[i].requested);
    }
    for (uint32_t i = 0; i < usher->zone_count; i++)
        free(usher->zones[i].nodes.items);
    free(usher->zones);
    free(usher->nodes);
    free(usher->free_nodes.items);
    free(usher->order.items);
    free(usher->log.items);
    free(usher->scored_cpu_milli);
    free(usher->scored_mem_bytes);
    free(usher->stamps);
    free(usher->priorities);
    free(usher->reasons);
    free(usher->feasible.items);
}

static void free_keys(Usher *usher) {
    for (uint32_t i = 0; i < usher->key_count; i++) {
        free(usher->keys[i].values);
        free(usher->keys[i].unused.items);
        free(usher->keys[i].of_node);
    }
    free(usher->keys);
}

void usher_free(Usher *usher) {
    if (!usher)
        return;
    for (uint32_t i = 0; i < usher->pod_capacity; i++)
        usher_forget_pod(usher, i);
    CHECK(usher->classes_live == 0 && usher->shapes_live == 0 && usher->tallies_live == 0 && usher->views_live == 0,
          "%u classes, %u shapes, %u tallies, %u views left", usher->classes_live, usher->shapes_live,
          usher->tallies_live, usher->views_live);
    free_nodes(usher);
    free_keys(usher);
    usher_index_free(&usher->shape_index);
    usher_index_free(&usher->class_index);
    usher_index_free(&usher->tally_index);
    free(usher->shapes);
    free(usher->classes);
    free(usher->tallies);
    free(usher->views);
    free(usher->free_shapes.items);
    free(usher->free_classes.items);
    free(usher->free_tallies.items);
    free(usher->free_views.items);
    free(usher->pods);
    buffer_free(&usher->scratch);
    arena_free(&usher->attempt_arena);
    arena_free(&usher->arena);
    free(usher);
}

void usher_services_changed(Usher *usher) {
    usher->services_epoch++;
    usher->change++;
}

void usher_touch(Usher *usher) {
    usher->change++;
}

uint32_t usher_pod_node(const Usher *usher, uint32_t slot) {
    return slot < usher->pod_capacity && usher->pods[slot].used ? usher->pods[slot].node : USHER_NONE;
}

bool usher_pod_is_deleting(const Usher *usher, uint32_t slot) {
    return slot < usher->pod_capacity && usher->pods[slot].used && usher->pods[slot].deleting;
}

uint32_t usher_class_of(const Usher *usher, uint32_t slot) {
    return usher->pods[slot].class_index;
}

UsherCounts usher_counts(const Usher *usher) {
    UsherCounts counts = usher->counts;

    counts.shapes = usher->shapes_live;
    counts.classes = usher->classes_live;
    counts.tallies = usher->tallies_live;
    counts.views = usher->views_live;
    return counts;
}
