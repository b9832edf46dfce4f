// Ports are numbers in ascending order, so that all operations are merges.
#include "sched/input/port_set.h"

#include <stdlib.h>

// A number is protocol, port and address, from the highest bits. An address has 33 bits; 0 is the wildcard.
enum { ADDRESS_BITS = 33, PORT_BITS = 16 };

static bool is_every_address(const Symbols *symbols, Symbol address) {
    Slice text = symbol_text(symbols, address);

    return slice_eq(text, SLICE("0.0.0.0")) || slice_eq(text, SLICE("::"));
}

static uint64_t port_number(const Symbols *symbols, const HostPort *port) {
    uint64_t address = is_every_address(symbols, port->ip) ? 0 : (uint64_t)port->ip + 1;

    return ((uint64_t)port->protocol << PORT_BITS | port->port) << ADDRESS_BITS | address;
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static PortSet *set_for(Arena *arena, size_t count) {
    PortSet *set = arena_alloc_raw(arena, sizeof *set + count * sizeof *set->ports);

    set->count = 0;
    return set;
}

const PortSet *port_set_make(Arena *arena, const Symbols *symbols, const HostPortVec *ports) {
    PortSet *set;
    uint32_t distinct = 0;

    if (!ports->count)
        return NULL;
    set = set_for(arena, ports->count);
    for (vec_each(const HostPort, port, ports))
        set->ports[set->count++] = port_number(symbols, port);
    qsort(set->ports, set->count, sizeof *set->ports, compare_numbers);
    for (uint32_t i = 0; i < set->count; i++) {
        if (!distinct || set->ports[i] != set->ports[distinct - 1])
            set->ports[distinct++] = set->ports[i];
    }
    set->count = distinct;
    return set;
}

const PortSet *port_set_copy(Arena *arena, const PortSet *set) {
    return set ? arena_copy(arena, set, sizeof *set + set->count * sizeof *set->ports) : NULL;
}

const PortSet *port_set_join(Arena *arena, const PortSet *a, const PortSet *b) {
    uint32_t i = 0, j = 0;
    PortSet *set;

    if (!a || !b)
        return a ? a : b;
    set = set_for(arena, (size_t)a->count + b->count);
    while (i < a->count || j < b->count) {
        bool first = j == b->count || (i < a->count && a->ports[i] <= b->ports[j]);
        uint64_t port = first ? a->ports[i++] : b->ports[j++];

        if (first && j < b->count && b->ports[j] == port)
            j++;
        set->ports[set->count++] = port;
    }
    return set;
}

const PortSet *port_set_without(Arena *arena, const PortSet *set, const PortSet *without) {
    uint32_t j = 0;
    PortSet *left;

    if (!set || !without)
        return set;
    left = set_for(arena, set->count);
    for (uint32_t i = 0; i < set->count; i++) {
        while (j < without->count && without->ports[j] < set->ports[i])
            j++;
        if (j == without->count || without->ports[j] != set->ports[i])
            left->ports[left->count++] = set->ports[i];
    }
    return left->count ? left : NULL;
}

static bool numbers_conflict(uint64_t x, uint64_t y) {
    uint64_t address = (UINT64_C(1) << ADDRESS_BITS) - 1;

    return x == y || (x >> ADDRESS_BITS == y >> ADDRESS_BITS && (!(x & address) || !(y & address)));
}

bool port_sets_conflict(const PortSet *a, const PortSet *b) {
    uint32_t i = 0, j = 0;

    // The wildcard sorts before all addresses of its port, so it is compared with the first of them in the other set.
    while (a && b && i < a->count && j < b->count) {
        if (numbers_conflict(a->ports[i], b->ports[j]))
            return true;
        if (a->ports[i] < b->ports[j])
            i++;
        else
            j++;
    }
    return false;
}

bool port_sets_equal(const PortSet *a, const PortSet *b) {
    if (!a || !b)
        return a == b;
    return a->count == b->count && memcmp(a->ports, b->ports, a->count * sizeof *a->ports) == 0;
}

uint64_t port_set_hash(const PortSet *set) {
    return set ? slice_hash((Slice){(const char *)set->ports, set->count * sizeof *set->ports}) : 0;
}
