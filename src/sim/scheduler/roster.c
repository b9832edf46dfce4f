// Which nodes and pods there are, and what is counted where.
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

// --- nodes

static int64_t *grow_row(int64_t *row, uint32_t from, uint32_t to) {
    uint32_t capacity = from;

    return usher_grow(row, sizeof *row, to, &capacity);
}

void usher_nodes_reserve(Usher *usher, uint32_t count) {
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

static uint32_t node_slot(Usher *usher, Symbol name) {
    uint32_t slot = u64_map_get(&usher->node_names, name);

    if (slot != INDEX_NONE)
        return slot;
    if (usher->free_nodes.count) {
        slot = usher->free_nodes.items[--usher->free_nodes.count];
    } else {
        usher_nodes_reserve(usher, usher->node_count + 1);
        slot = usher->node_count++;
    }
    usher->nodes[slot].name = name;
    usher->nodes[slot].first_pod = USHER_NONE;
    u64_map_put(&usher->arena, &usher->node_names, name, slot);
    usher_node_stamp(usher, slot);
    usher_room_stamp(usher, slot);
    return slot;
}

static void drop_slot_if_empty(Usher *usher, uint32_t slot) {
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
    UsherNode *node;

    if (slot == USHER_NONE)
        return (UsherNodeChange){.node = USHER_NONE};
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
    drop_slot_if_empty(usher, slot);
    return (UsherNodeChange){.node = slot, .removed = true};
}

UsherNodeChange usher_apply_node(Usher *usher, Symbol name, const Node *from) {
    UsherNodeChange change = {0};
    UsherNode *node;

    usher->change++;
    if (!from)
        return remove_node(usher, name);
    change.node = node_slot(usher, name);
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

// --- pods

static bool ports_same(const HostPort *a, const HostPort *b) {
    return a->port == b->port && a->protocol == b->protocol && a->ip == b->ip;
}

static void count_ports(UsherNode *node, const HostPortVec *ports, bool add) {
    for (vec_each(const HostPort, port, ports)) {
        uint32_t i = 0;

        while (i < node->port_count && !ports_same(&node->ports[i].port, port))
            i++;
        if (i == node->port_count) {
            usher_reserve(node->ports, ++node->port_count, &node->port_capacity);
            node->ports[i] = (UsherPort){.port = *port};
        }
        node->ports[i].pods += add ? 1 : UINT32_MAX;
        if (node->ports[i].pods == 0)
            node->ports[i] = node->ports[--node->port_count];
    }
}

static void count_requests(Usher *usher, const UsherShape *shape, uint32_t node, int sign) {
    for (vec_each(const UsherRequest, request, &shape->requests))
        usher->columns[request->column].requested[node] += sign * request->amount;
    usher->scored_cpu_milli[node] += sign * shape->scored_cpu_milli;
    usher->scored_mem_bytes[node] += sign * shape->scored_mem_bytes;
}

static void count_priority(Usher *usher, int32_t priority, bool add) {
    uint32_t i = 0;

    while (i < usher->priority_count && usher->priorities[i].priority != priority)
        i++;
    if (i == usher->priority_count) {
        usher_reserve(usher->priorities, ++usher->priority_count, &usher->priority_capacity);
        usher->priorities[i].priority = priority;
        usher->priorities[i].pods = 0;
    }
    usher->priorities[i].pods += add ? 1 : UINT32_MAX;
    if (usher->priorities[i].pods == 0)
        usher->priorities[i] = usher->priorities[--usher->priority_count];
}

bool usher_has_below(const Usher *usher, int32_t priority) {
    for (uint32_t i = 0; i < usher->priority_count; i++) {
        if (usher->priorities[i].priority < priority)
            return true;
    }
    return false;
}

void usher_seat(Usher *usher, uint32_t slot, uint32_t at) {
    UsherPod *pod = &usher->pods[slot];
    UsherNode *node = &usher->nodes[at];
    UsherShape *shape = &usher->shapes[usher->classes[pod->class_index].shape];

    pod->node = at;
    pod->alive = !pod->deleting;
    pod->previous_on_node = USHER_NONE;
    pod->next_on_node = node->first_pod;
    if (node->first_pod != USHER_NONE)
        usher->pods[node->first_pod].previous_on_node = slot;
    node->first_pod = slot;
    node->pod_count++;
    node->claim_count += pod->claim_count;
    count_requests(usher, shape, at, 1);
    count_ports(node, &shape->spec.host_ports, true);
    usher_tallies_add_pod(usher, pod, 1);
    count_priority(usher, pod->priority, true);
    usher_room_stamp(usher, at);
    usher->change++;
}

void usher_unseat(Usher *usher, uint32_t slot) {
    UsherPod *pod = &usher->pods[slot];
    UsherNode *node = &usher->nodes[pod->node];
    UsherShape *shape = &usher->shapes[usher->classes[pod->class_index].shape];

    usher_tallies_add_pod(usher, pod, -1);
    count_priority(usher, pod->priority, false);
    usher_room_stamp(usher, pod->node);
    count_ports(node, &shape->spec.host_ports, false);
    count_requests(usher, shape, pod->node, -1);
    node->pod_count--;
    node->claim_count -= pod->claim_count;
    if (pod->previous_on_node != USHER_NONE)
        usher->pods[pod->previous_on_node].next_on_node = pod->next_on_node;
    else
        node->first_pod = pod->next_on_node;
    if (pod->next_on_node != USHER_NONE)
        usher->pods[pod->next_on_node].previous_on_node = pod->previous_on_node;
    pod->node = USHER_NONE;
    usher->change++;
}

static void link_to_class(Usher *usher, uint32_t slot) {
    UsherPod *pod = &usher->pods[slot];
    UsherClass *class = &usher->classes[pod->class_index];

    pod->previous_in_class = USHER_NONE;
    pod->next_in_class = class->first_pod;
    if (class->first_pod != USHER_NONE)
        usher->pods[class->first_pod].previous_in_class = slot;
    class->first_pod = slot;
}

static void unlink_from_class(Usher *usher, uint32_t slot) {
    UsherPod *pod = &usher->pods[slot];

    if (pod->previous_in_class != USHER_NONE)
        usher->pods[pod->previous_in_class].next_in_class = pod->next_in_class;
    else
        usher->classes[pod->class_index].first_pod = pod->next_in_class;
    if (pod->next_in_class != USHER_NONE)
        usher->pods[pod->next_in_class].previous_in_class = pod->previous_in_class;
}

// A claim of an ephemeral volume is named after pod and volume.
static Symbol claim_name(Usher *usher, const Pod *pod, const PodVolume *volume) {
    if (!volume->ephemeral)
        return volume->claim_name;
    usher->scratch.len = 0;
    buffer_append(&usher->scratch, symbol_text(usher->symbols, pod->name));
    buffer_append_char(&usher->scratch, '-');
    buffer_append(&usher->scratch, symbol_text(usher->symbols, volume->claim_name));
    return symbol_intern(usher->symbols, buffer_slice(&usher->scratch));
}

static void take_claims(Usher *usher, uint32_t slot, const Pod *pod) {
    const PodVolumeVec *volumes = &pod->spec->volumes;
    UsherClaim *claims = volumes->count ? calloc(volumes->count, sizeof *claims) : NULL;

    CHECK(claims || !volumes->count, "out of memory");
    for (uint32_t i = 0; i < volumes->count; i++)
        claims[i] = (UsherClaim){pod->ns, claim_name(usher, pod, &volumes->items[i])};
    usher->pods[slot].claims = claims;
    usher->pods[slot].claim_count = volumes->count;
}

static SymbolVec take_symbols(Symbol **at, const SymbolVec *from) {
    SymbolVec copy = {*at, from->count, from->count};

    if (from->count)
        memcpy(*at, from->items, from->count * sizeof(Symbol));
    *at += from->count;
    return copy;
}

// One block: the pins, then their symbols.
static void take_pins(UsherPod *pod, const UsherExtras *extras) {
    size_t symbols = 0;
    Symbol *at;

    for (uint32_t i = 0; i < extras->pin_count; i++)
        symbols += extras->pins[i].in.count + extras->pins[i].not_in.count;
    pod->pins = malloc(extras->pin_count * sizeof *pod->pins + symbols * sizeof(Symbol));
    CHECK(pod->pins, "out of memory");
    at = (Symbol *)(void *)(pod->pins + extras->pin_count);
    for (uint32_t i = 0; i < extras->pin_count; i++) {
        pod->pins[i].has_in = extras->pins[i].has_in;
        pod->pins[i].in = take_symbols(&at, &extras->pins[i].in);
        pod->pins[i].not_in = take_symbols(&at, &extras->pins[i].not_in);
    }
    pod->pin_count = extras->pin_count;
}

static void take_pod(Usher *usher, uint32_t slot, const Pod *from, const UsherExtras *extras) {
    uint32_t class_index = usher_class_take(usher, from, extras);
    UsherPod *pod = &usher->pods[slot];

    *pod = (UsherPod){
        .used = true,
        .ns = from->ns,
        .name = from->name,
        .class_index = class_index,
        .node = USHER_NONE,
        .nominated = USHER_NONE,
        .priority = from->priority,
        .created_ns = from->created_ns,
        .never_preempt = extras && extras->never_preempt,
    };
    if (extras && extras->pin_count)
        take_pins(pod, extras);
    take_claims(usher, slot, from);
    link_to_class(usher, slot);
}

static void take_status(Usher *usher, uint32_t slot, const Pod *from) {
    UsherPod *pod = &usher->pods[slot];
    uint32_t at =
        from->node_name == NAME_EMPTY || pod_is_terminal(from) ? USHER_NONE : node_slot(usher, from->node_name);
    uint32_t before = pod->node;

    pod->started_ns = from->started_ns;
    if (pod->assumed && from->node_name == NAME_EMPTY && !pod_is_terminal(from) && !from->deleting)
        return; // the binding is under way
    if (before != at || (at != USHER_NONE && from->deleting != pod->deleting)) {
        if (before != USHER_NONE)
            usher_unseat(usher, slot);
        pod->deleting = from->deleting;
        if (at != USHER_NONE)
            usher_seat(usher, slot, at);
        if (before != USHER_NONE)
            drop_slot_if_empty(usher, before);
    }
    pod->deleting = from->deleting;
    pod->assumed = false;
    if (at != USHER_NONE)
        usher_nominate(usher, slot, USHER_NONE);
}

// A change of the spec or the labels makes another class.
static bool is_other_class(Usher *usher, uint32_t slot, const Pod *from, const UsherExtras *extras) {
    uint32_t class_index = usher_class_take(usher, from, extras);
    bool other = class_index != usher->pods[slot].class_index;

    usher_class_drop(usher, class_index);
    return other;
}

bool usher_is_relabelled(const Usher *usher, uint32_t slot, const Pod *pod) {
    return slot < usher->pod_capacity && usher->pods[slot].used &&
           !labels_eq(&usher->classes[usher->pods[slot].class_index].labels, &pod->labels);
}

bool usher_is_respecified(Usher *usher, uint32_t slot, const Pod *pod) {
    const UsherClass *class = &usher->classes[usher->pods[slot].class_index];

    return !usher_shape_is(usher, class->shape, pod);
}

void usher_apply_pod(Usher *usher, uint32_t slot, const Pod *from, const UsherExtras *extras) {
    usher_reserve(usher->pods, slot + 1, &usher->pod_capacity);
    if (usher->pods[slot].used && extras && is_other_class(usher, slot, from, extras))
        usher_forget_pod(usher, slot);
    if (!usher->pods[slot].used)
        take_pod(usher, slot, from, extras);
    take_status(usher, slot, from);
}

void usher_forget_pod(Usher *usher, uint32_t slot) {
    UsherPod *pod = slot < usher->pod_capacity ? &usher->pods[slot] : NULL;
    uint32_t node, class_index;

    if (!pod || !pod->used)
        return;
    usher_nominate(usher, slot, USHER_NONE);
    node = pod->node;
    class_index = pod->class_index;
    if (node != USHER_NONE) {
        usher_unseat(usher, slot);
        drop_slot_if_empty(usher, node);
    }
    unlink_from_class(usher, slot);
    free(pod->claims);
    free(pod->pins);
    *pod = (UsherPod){0};
    usher_class_drop(usher, class_index);
}

void usher_assume(Usher *usher, uint32_t slot, uint32_t node) {
    usher_seat(usher, slot, node);
    usher->pods[slot].assumed = true;
}

void usher_unassume(Usher *usher, uint32_t slot) {
    uint32_t node = usher->pods[slot].node;

    if (!usher->pods[slot].assumed || node == USHER_NONE)
        return;
    usher->pods[slot].assumed = false;
    usher_unseat(usher, slot);
    drop_slot_if_empty(usher, node);
}

void usher_nominate(Usher *usher, uint32_t slot, uint32_t node) {
    UsherPod *pod = &usher->pods[slot];
    uint32_t before = pod->nominated;

    if (before == node)
        return;
    pod->nominated = node;
    usher->change++;
    if (before != USHER_NONE) {
        usher_list_remove(&usher->nodes[before].nominated, slot);
        usher->nominated_total--;
        drop_slot_if_empty(usher, before);
    }
    if (node != USHER_NONE) {
        usher_list_add(&usher->nodes[node].nominated, slot);
        usher->nominated_total++;
    }
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
