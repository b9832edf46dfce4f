// Which nodes there are, what they are and have, and in which order they are looked at.
#include <stdlib.h>

#include "sim/scheduler/usher_parts.h"

static int64_t *grow_row(int64_t *row, uint32_t from, uint32_t to) {
    uint32_t capacity = from;

    return usher_grow(row, sizeof *row, to, &capacity);
}

static void nodes_reserve(Usher *usher, uint32_t count) {
    uint32_t before = usher->node_capacity, after;

    if (count <= before)
        return;
    usher_reserve(usher->nodes, count, &usher->node_capacity);
    after = usher->node_capacity;
    for (uint32_t i = 0; i < usher->column_count; i++) {
        usher->columns[i].allocatable = grow_row(usher->columns[i].allocatable, before, after);
        usher->columns[i].requested = grow_row(usher->columns[i].requested, before, after);
    }
    usher->scored_cpu_milli = grow_row(usher->scored_cpu_milli, before, after);
    usher->scored_mem_bytes = grow_row(usher->scored_mem_bytes, before, after);
    usher->stamps = usher_grow(usher->stamps, sizeof *usher->stamps, after, &before);
    usher_reserve(usher->reasons, after, &usher->reasons_capacity);
}

uint32_t usher_node_slot(Usher *usher, Symbol name) {
    uint32_t slot = u64_map_get(&usher->node_names, name);

    if (slot != INDEX_NONE)
        return slot;
    if (usher->free_nodes.count) {
        slot = usher->free_nodes.items[--usher->free_nodes.count];
    } else {
        nodes_reserve(usher, usher->node_count + 1);
        slot = usher->node_count++;
    }
    usher->nodes[slot].name = name;
    usher->nodes[slot].first_pod = USHER_NONE;
    u64_map_put(&usher->arena, &usher->node_names, name, slot);
    usher_node_stamp(usher, slot);
    usher_room_stamp(usher, slot);
    return slot;
}

void usher_node_leave(Usher *usher, uint32_t slot) {
    UsherNode *node = &usher->nodes[slot];

    if (node->present || node->pod_count || node->nominated.count || node->name == NAME_EMPTY)
        return;
    u64_map_put(&usher->arena, &usher->node_names, node->name, INDEX_NONE);
    node->name = NAME_EMPTY;
    node->port_count = 0;
    usher_list_add(&usher->free_nodes, slot);
}

uint32_t usher_find_node(const Usher *usher, Symbol name) {
    uint32_t slot = u64_map_get(&usher->node_names, name);

    return slot != INDEX_NONE && usher->nodes[slot].present ? slot : USHER_NONE;
}

Symbol usher_node_name(const Usher *usher, uint32_t node) {
    return usher->nodes[node].name;
}

static void zone_add(Usher *usher, uint32_t slot) {
    const UsherNode *node = &usher->nodes[slot];
    uint32_t i = 0;

    while (i < usher->zone_count && (usher->zones[i].zone != node->zone || usher->zones[i].region != node->region))
        i++;
    if (i == usher->zone_count) {
        usher_reserve(usher->zones, ++usher->zone_count, &usher->zone_capacity);
        memset(&usher->zones[i], 0, sizeof usher->zones[i]);
        usher->zones[i].zone = node->zone;
        usher->zones[i].region = node->region;
    }
    usher_list_add(&usher->zones[i].nodes, slot);
    usher->order_stale = true;
}

static void zone_remove(Usher *usher, uint32_t slot) {
    for (uint32_t i = 0; i < usher->zone_count; i++) {
        if (!usher_list_has(&usher->zones[i].nodes, slot))
            continue;
        usher_list_remove(&usher->zones[i].nodes, slot);
        if (usher->zones[i].nodes.count == 0) {
            free(usher->zones[i].nodes.items);
            memmove(&usher->zones[i], &usher->zones[i + 1], (usher->zone_count - i - 1) * sizeof *usher->zones);
            usher->zone_count--;
            memset(&usher->zones[usher->zone_count], 0, sizeof *usher->zones);
        }
        usher->order_stale = true;
        return;
    }
}

// One node of each zone in turn, zones and nodes as they came.
const UsherList *usher_order(Usher *usher) {
    uint32_t left = 0;

    if (!usher->order_stale)
        return &usher->order;
    usher->order.count = 0;
    for (uint32_t i = 0; i < usher->zone_count; i++)
        left += usher->zones[i].nodes.count;
    for (uint32_t at = 0; usher->order.count < left; at++) {
        for (uint32_t i = 0; i < usher->zone_count; i++) {
            if (at < usher->zones[i].nodes.count)
                usher_list_add(&usher->order, usher->zones[i].nodes.items[at]);
        }
    }
    usher->order_stale = false;
    return &usher->order;
}

uint32_t usher_node_count(const Usher *usher) {
    return usher_order((Usher *)(uintptr_t)usher)->count;
}

static bool taints_differ(const TaintVec *a, const TaintVec *b) {
    return a->count != b->count || (a->count && memcmp(a->items, b->items, a->count * sizeof *a->items) != 0);
}

// Symbol paddings are none in Taint; the labels of one symbol table are sorted alike.
static void take_labels(Usher *usher, uint32_t slot, const Node *from) {
    UsherNode *node = &usher->nodes[slot];
    Symbol zone = labels_get(&from->meta.labels, NAME_ZONE), region = labels_get(&from->meta.labels, NAME_REGION);
    bool moved = zone != node->zone || region != node->region;

    arena_free(&node->arena);
    node->arena = (Arena){0};
    node->labels = usher_copy_labels(&node->arena, &from->meta.labels);
    usher_copy_taints(&node->arena, &from->taints, &node->taints);
    if (node->present && !moved)
        return;
    if (node->present)
        zone_remove(usher, slot);
    node->zone = zone;
    node->region = region;
    node->present = true;
    zone_add(usher, slot);
}

// Whether any amount became another.
static bool take_room(Usher *usher, uint32_t slot, const Resources *allocatable) {
    UsherNode *node = &usher->nodes[slot];
    uint32_t pods = (uint32_t)resources_get(allocatable, NAME_PODS);
    bool changed = pods != node->allowed_pods;

    node->allowed_pods = pods;
    for (vec_each(const ResourceAmount, amount, allocatable)) {
        if (amount->resource != NAME_PODS)
            usher_column(usher, amount->resource);
    }
    for (uint32_t i = 0; i < usher->column_count; i++) {
        int64_t amount = resources_get(allocatable, usher->columns[i].resource);

        changed |= usher->columns[i].allocatable[slot] != amount;
        usher->columns[i].allocatable[slot] = amount;
    }
    if (changed)
        usher_room_stamp(usher, slot);
    return changed;
}

static UsherNodeChange remove_node(Usher *usher, Symbol name) {
    uint32_t slot = usher_find_node(usher, name);
    UsherNodeChange change = {.node = slot, .removed = slot != USHER_NONE};
    UsherNode *node;

    if (slot == USHER_NONE)
        return change;
    node = &usher->nodes[slot];
    node->present = false;
    zone_remove(usher, slot);
    arena_free(&node->arena);
    node->arena = (Arena){0};
    node->labels = (Labels){0};
    memset(&node->taints, 0, sizeof node->taints);
    take_room(usher, slot, &(Resources){0});
    usher_node_stamp(usher, slot);
    while (node->nominated.count)
        usher_nominate(usher, node->nominated.items[0], USHER_NONE);
    usher_node_leave(usher, slot);
    return change;
}

UsherNodeChange usher_apply_node(Usher *usher, Symbol name, const Node *from) {
    UsherNodeChange change = {0};
    UsherNode *node;

    usher->change++;
    if (!from)
        return remove_node(usher, name);
    change.node = usher_node_slot(usher, name);
    node = &usher->nodes[change.node];
    change.added = !node->present;
    change.labels = change.added || !labels_eq(&node->labels, &from->meta.labels);
    change.taints = change.added || taints_differ(&node->taints, &from->taints);
    if (change.labels || change.taints) {
        take_labels(usher, change.node, from);
        usher_node_stamp(usher, change.node);
    }
    change.room = take_room(usher, change.node, &from->allocatable);
    if (!change.labels && !change.taints && !change.room) {
        usher->change--;
        change.node = USHER_NONE;
    }
    return change;
}
