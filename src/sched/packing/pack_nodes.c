// Existing nodes as kinds: free of charge, as many as there are.
//
// Pods bound to a node by spread or anti-affinity may forbid more; not asking lets packings do more.
#include "sched/packing/pack_nodes.h"

// Distinct kinds of nodes that are kept apart; of more, those that take the same classes count as one large node.
enum { NODE_KINDS_MAX = 64 };

// What was free before the plan placed pods there.
static void fill_room(const PackBuilder *builder, const Bin *bin, int64_t *ret_room) {
    const Solver *solver = builder->solver;
    const Packing *packing = builder->packing;

    for (uint32_t dim = 0; dim < packing->resources; dim++)
        ret_room[dim] = bin->free[packing->resource_of[dim]];
    for (vec_each(BinPods, pods, &bin->pods)) {
        const PodClass *class = &solver->classes.classes.items[pods->class];

        for (uint32_t dim = 0; dim < packing->resources; dim++)
            ret_room[dim] += class->requests[packing->resource_of[dim]] * pods->count;
        for (vec_each(Symbol, driver, &class->shared_drivers)) { // it may have been attached by the plan
            for (uint32_t dim = 0; dim < packing->resources; dim++)
                ret_room[dim] += packing->resource_of[dim] == dimension_of_driver(&solver->classes.dimensions, *driver);
        }
    }
    // Pods that do not ask for a resource may go where it is overdrawn; others may not, as with none left.
    for (uint32_t dim = 0; dim < packing->resources; dim++) {
        if (ret_room[dim] < 0)
            ret_room[dim] = 0;
    }
    for (uint32_t dim = packing->resources; dim < packing->dims; dim++)
        ret_room[dim] = builder->groups.items[dim - packing->resources].most;
}

// Host ports that pods outside the plan have.
static uint64_t *bound_ports(PackBuilder *builder, const Bin *bin) {
    const ClassTable *classes = &builder->solver->classes;
    uint64_t *ports;

    if (!bin->ports)
        return NULL;
    ports = arena_copy(&builder->scratch, bin->ports, classes->port_words * sizeof *ports);
    for (vec_each(BinPods, pods, &bin->pods)) {
        if (classes->classes.items[pods->class].ports)
            bitset_and_not(ports, classes->classes.items[pods->class].ports, classes->port_words);
    }
    return ports;
}

static bool may_go(PackBuilder *builder, const Bin *bin, const uint64_t *ports, uint32_t signature) {
    Solver *solver = builder->solver;
    const PodClass *class = builder->signatures.items[signature].class;

    if (!class)
        return true;
    if (class->ports && ports && port_bits_conflict(&solver->classes, class->ports, ports))
        return false;
    for (vec_each(Variant, variant, &class->variants)) {
        if (bitset_has(solver->tolerated_nodes[variant->tolerations], bin->number) &&
            label_state_step(&solver->states, bin->state, variant->labels) != LABEL_STATE_NONE)
            return true;
    }
    return false;
}

static bool same_node(const Packing *packing, const PackKind *a, const PackKind *b, uint32_t words) {
    return bitset_eq(a->families, b->families, words) && memcmp(a->room, b->room, packing->dims * sizeof *a->room) == 0;
}

static uint64_t node_hash(const PackBuilder *builder, const PackKind *kind, bool with_room) {
    uint64_t hash = slice_hash((Slice){(const char *)kind->families, builder->signature_words * sizeof(uint64_t)});

    if (!with_room)
        return hash;
    return hash_combine(hash, slice_hash((Slice){(const char *)kind->room, builder->packing->dims * sizeof(int64_t)}));
}

static void add_node(PackBuilder *builder, const Bin *bin, PackKindVec *kinds, U32Vec *counts, IndexMap *index) {
    Packing *packing = builder->packing;
    PackKind kind = {.pool = INDEX_NONE, .row = INDEX_NONE, .supply = INDEX_NONE};
    uint64_t *ports = bound_ports(builder, bin), hash;
    uint32_t cursor = 0, found;

    kind.families = arena_array(&builder->scratch, uint64_t, builder->signature_words);
    kind.room = arena_array(packing->arena, int64_t, packing->dims);
    fill_room(builder, bin, kind.room);
    for (uint32_t signature = 0; signature < builder->signatures.count; signature++) {
        if (may_go(builder, bin, ports, signature))
            bitset_set(kind.families, signature);
    }
    if (bitset_is_empty(kind.families, builder->signature_words))
        return;
    hash = node_hash(builder, &kind, true);
    while ((found = index_map_next(index, hash, &cursor)) != INDEX_NONE) {
        CHECK(kinds->items, "a kind that is not listed");
        if (same_node(packing, &kinds->items[found], &kind, builder->signature_words)) {
            counts->items[found]++;
            return;
        }
    }
    index_map_add(&builder->scratch, index, hash, kinds->count);
    vec_push(&builder->scratch, kinds, kind);
    vec_push(&builder->scratch, counts, 1);
}

static void add_kind(PackBuilder *builder, PackKind kind, uint32_t count) {
    kind.supply = builder->packing->supplies.count;
    vec_push(builder->packing->arena, &builder->packing->supplies, count);
    vec_push(builder->packing->arena, &builder->packing->kinds, kind);
}

// sum + room × count, at most what is as good as no limit.
static int64_t add_rooms(int64_t sum, int64_t room, int64_t count) {
    int64_t all;

    if (__builtin_mul_overflow(room, count, &all) || __builtin_add_overflow(sum, all, &sum))
        return INT64_MAX / 4;
    return sum;
}

// Nodes that take the same classes as one: what fits into each of them fits into the sum of their room.
static void add_together(PackBuilder *builder, const PackKindVec *kinds, const U32Vec *counts) {
    Packing *packing = builder->packing;
    uint32_t first = packing->kinds.count;
    IndexMap index = {0};

    for (uint32_t i = 0; i < kinds->count; i++) {
        const PackKind *kind = &kinds->items[i];
        uint64_t hash = node_hash(builder, kind, false);
        uint32_t cursor = 0, found;
        PackKind *sum = NULL;

        while (!sum && (found = index_map_next(&index, hash, &cursor)) != INDEX_NONE) {
            if (bitset_eq(packing->kinds.items[first + found].families, kind->families, builder->signature_words))
                sum = &packing->kinds.items[first + found];
        }
        if (!sum) {
            index_map_add(&builder->scratch, &index, hash, packing->kinds.count - first);
            add_kind(builder, *kind, 1);
            sum = vec_last(&packing->kinds);
            sum->room = arena_array(packing->arena, int64_t, packing->dims);
            sum->together = arena_new(packing->arena, PackNodes);
        }
        vec_push(packing->arena, sum->together, (PackNode){kind->room, counts->items[i]});
        for (uint32_t dim = 0; dim < packing->dims; dim++)
            sum->room[dim] = add_rooms(sum->room[dim], kind->room[dim], counts->items[i]);
    }
}

void pack_add_nodes(PackBuilder *builder) {
    PackKindVec kinds = {0};
    U32Vec counts = {0};
    IndexMap index = {0};

    for (uint32_t i = 0; i < builder->solver->node_count; i++)
        add_node(builder, &builder->solver->bins.items[i], &kinds, &counts, &index);
    if (kinds.count > NODE_KINDS_MAX) {
        add_together(builder, &kinds, &counts);
        return;
    }
    for (uint32_t i = 0; i < kinds.count; i++)
        add_kind(builder, kinds.items[i], counts.items[i]);
}
