// Which pods there are, and what is counted where.
#include <stdlib.h>

#include "sim/scheduler/usher_parts.h"

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
        claims[i] = (UsherClaim){pod->ns, claim_name(usher, pod, &volumes->items[i]), volumes->items[i].ephemeral};
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
        from->node_name == NAME_EMPTY || pod_is_terminal(from) ? USHER_NONE : usher_node_slot(usher, from->node_name);
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
            usher_node_leave(usher, before);
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
        usher_node_leave(usher, node);
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
    usher_node_leave(usher, node);
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
        usher_node_leave(usher, before);
    }
    if (node != USHER_NONE) {
        usher_list_add(&usher->nodes[node].nominated, slot);
        usher->nominated_total++;
    }
}
