// Existing nodes as kinds with price 0 and a supply.
//
// Spread and anti-affinity rules of the pods that run on a node are not considered, which keeps the packing a
// relaxation.
#include "sched/packing/pack_nodes.h"

// Distinct kinds of nodes that are kept. If there are more, nodes that take the same classes count as one large node.
enum { NODE_KINDS_MAX = 64 };
// Sizes of pods that are distinguished when nodes are summed.
enum { SIZES_MAX = 64 };

// The room that was free before the plan placed pods there.
static void fill_room(const PackBuilder *builder, const Bin *bin, int64_t *ret_room) {
    const Solver *solver = builder->solver;
    const Packing *packing = builder->packing;

    for (uint32_t dim = 0; dim < packing->resources; dim++)
        ret_room[dim] = bin->free[packing->resource_of[dim]];
    for (vec_each(BinPods, pods, &bin->pods)) {
        const PodClass *class = &solver->classes.classes.items[pods->class];

        for (uint32_t dim = 0; dim < packing->resources; dim++)
            ret_room[dim] += class->requests[packing->resource_of[dim]] * pods->count;
        for (vec_each(Symbol, driver, &class->shared_drivers)) { // the plan may have attached it
            for (uint32_t dim = 0; dim < packing->resources; dim++)
                ret_room[dim] += packing->resource_of[dim] == dimension_of_driver(&solver->classes.dimensions, *driver);
        }
    }
    // An overcommitted resource counts as 0 left: pods that do not request it may go there.
    for (uint32_t dim = 0; dim < packing->resources; dim++) {
        if (ret_room[dim] < 0)
            ret_room[dim] = 0;
    }
    for (uint32_t dim = packing->resources; dim < packing->dims; dim++)
        ret_room[dim] = builder->groups.items[dim - packing->resources].most;
}

// Host ports of pods that are not the plan's.
static const PortSet *bound_ports(PackBuilder *builder, const Bin *bin) {
    const PortSet *ports = bin->ports;

    for (vec_each(BinPods, pods, &bin->pods))
        ports = port_set_without(&builder->scratch, ports, builder->solver->classes.classes.items[pods->class].ports);
    return ports;
}

static bool class_may_go(Solver *solver, const Bin *bin, uint32_t state, const PortSet *ports, const PodClass *class) {
    if (state == LABEL_STATE_NONE || port_sets_conflict(class->ports, ports))
        return false;
    for (vec_each(Variant, variant, &class->variants)) {
        if (bitset_has(solver->tolerated_nodes[variant->tolerations], bin->number) &&
            label_state_step(&solver->states, state, variant->labels) != LABEL_STATE_NONE)
            return true;
    }
    return false;
}

static bool may_go(PackBuilder *builder, const Bin *bin, const PortSet *ports, uint32_t number) {
    const Signature *signature = &builder->signatures.items[number];
    uint32_t state = label_state_step(&builder->solver->states, bin->state, signature->within);

    for (vec_each(const PodClass *const, class, &signature->classes)) {
        if (class_may_go(builder->solver, bin, state, ports, *class))
            return true;
    }
    return !signature->classes.count;
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
    const PortSet *ports = bound_ports(builder, bin);
    uint64_t hash;
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

// --- many nodes

// Distinct sizes of pods, in the dimensions that are resources.
typedef struct {
    uint32_t count;
    const int64_t *sizes[SIZES_MAX]; // requests of a class
} SizeList;

static bool same_size(const Packing *packing, const int64_t *a, const int64_t *b) {
    for (uint32_t dim = 0; dim < packing->resources; dim++) {
        if (a[packing->resource_of[dim]] != b[packing->resource_of[dim]])
            return false;
    }
    return true;
}

// If there are more than SIZES_MAX sizes, the list is empty.
static void list_sizes(const PackBuilder *builder, SizeList *ret_list) {
    ret_list->count = 0;
    for (vec_each(const PodClass, class, &builder->solver->classes.classes)) {
        bool known = false;

        for (uint32_t i = 0; i < ret_list->count && !known; i++)
            known = same_size(builder->packing, ret_list->sizes[i], class->requests);
        if (known)
            continue;
        if (ret_list->count == SIZES_MAX) {
            ret_list->count = 0;
            return;
        }
        ret_list->sizes[ret_list->count++] = class->requests;
    }
}

// The sizes that fit into the room, each alone, as bits.
static uint64_t sizes_that_fit(const Packing *packing, const SizeList *list, const int64_t *room) {
    uint64_t fits = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        bool fit = true;

        for (uint32_t dim = 0; dim < packing->resources && fit; dim++)
            fit = list->sizes[i][packing->resource_of[dim]] <= room[dim];
        fits |= (uint64_t)fit << i;
    }
    return fits;
}

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

// Rounds the room down to what pods can fill: sums of sizes that fit are multiples of their common divisor.
static void trim_room(const Packing *packing, const SizeList *list, uint64_t fits, int64_t *room) {
    for (uint32_t dim = 0; dim < packing->resources && list->count; dim++) {
        int64_t unit = 0;

        for (uint32_t i = 0; i < list->count; i++) {
            if (fits >> i & 1)
                unit = gcd(list->sizes[i][packing->resource_of[dim]], unit);
        }
        room[dim] -= unit > 0 ? room[dim] % unit : room[dim];
    }
}

// sum + room × count, saturating at a value that is no limit.
static int64_t add_rooms(int64_t sum, int64_t room, int64_t count) {
    int64_t all;

    if (__builtin_mul_overflow(room, count, &all) || __builtin_add_overflow(sum, all, &sum))
        return INT64_MAX / 4;
    return sum;
}

// A sum of nodes, and the sizes that fit into each of them.
typedef struct {
    uint32_t kind; // into the kinds of the packing
    uint64_t fits;
} NodeSum;

typedef struct {
    PackBuilder *builder;
    bool by_size; // nodes that take different sizes have different sums
    IndexMap index;
    Vec(NodeSum) sums;
} NodeSums;

// The sum that a node belongs to, made when new.
static PackKind *sum_for(NodeSums *sums, const PackKind *node, uint64_t fits) {
    PackBuilder *builder = sums->builder;
    Packing *packing = builder->packing;
    uint64_t hash = hash_combine(node_hash(builder, node, false), fits);
    uint32_t cursor = 0, found;
    PackKind *sum;

    while ((found = index_map_next(&sums->index, hash, &cursor)) != INDEX_NONE) {
        CHECK(sums->sums.items, "a sum that is not listed");
        sum = &packing->kinds.items[sums->sums.items[found].kind];
        if (sums->sums.items[found].fits == fits && bitset_eq(sum->families, node->families, builder->signature_words))
            return sum;
    }
    index_map_add(&builder->scratch, &sums->index, hash, sums->sums.count);
    vec_push(&builder->scratch, &sums->sums, (NodeSum){packing->kinds.count, fits});
    add_kind(builder, *node, 1);
    sum = vec_last(&packing->kinds);
    sum->room = arena_array(packing->arena, int64_t, packing->dims);
    sum->together = arena_new(packing->arena, PackNodes);
    return sum;
}

// Sums nodes that take the same classes and sizes: what fits into each of them fits into their sum. False: there are
// more than NODE_KINDS_MAX sums.
static bool add_together(NodeSums *sums, const PackKindVec *kinds, const U32Vec *counts) {
    PackBuilder *builder = sums->builder;
    Packing *packing = builder->packing;
    SizeList sizes;

    list_sizes(builder, &sizes);
    for (uint32_t i = 0; i < kinds->count; i++) {
        const PackKind *kind = &kinds->items[i];
        uint64_t fits = sizes_that_fit(packing, &sizes, kind->room);
        PackKind *sum = sum_for(sums, kind, sums->by_size ? fits : 0);

        if (sums->by_size && sums->sums.count > NODE_KINDS_MAX)
            return false;
        trim_room(packing, &sizes, fits, kind->room);
        vec_push(packing->arena, sum->together, (PackNode){kind->room, counts->items[i]});
        for (uint32_t dim = 0; dim < packing->dims; dim++)
            sum->room[dim] = add_rooms(sum->room[dim], kind->room[dim], counts->items[i]);
    }
    return true;
}

static void add_sums(PackBuilder *builder, const PackKindVec *kinds, const U32Vec *counts) {
    Packing *packing = builder->packing;
    uint32_t first = packing->kinds.count, supplies = packing->supplies.count;

    if (add_together(&(NodeSums){.builder = builder, .by_size = true}, kinds, counts))
        return;
    packing->kinds.count = first;
    packing->supplies.count = supplies;
    add_together(&(NodeSums){.builder = builder}, kinds, counts);
}

void pack_add_nodes(PackBuilder *builder) {
    PackKindVec kinds = {0};
    U32Vec counts = {0};
    IndexMap index = {0};

    for (uint32_t i = 0; i < builder->solver->node_count; i++)
        add_node(builder, &builder->solver->bins.items[i], &kinds, &counts, &index);
    if (kinds.count > NODE_KINDS_MAX) {
        add_sums(builder, &kinds, &counts);
        return;
    }
    for (uint32_t i = 0; i < kinds.count; i++)
        add_kind(builder, kinds.items[i], counts.items[i]);
}
