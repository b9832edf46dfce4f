// Merges classes into items, and finds the rules that limit how many of them share a node.
#include "sched/packing/pack_items.h"

#include <stdlib.h>

// The rules that are kept, each of which is a dimension of the packing.
enum { GROUPS_MAX = 8, GROUPS_SPAN = 8 };

// --- groups

// Whether the group limits how many pods of the class share a node, in every variant. Spreads: a pod that its own rule
// counts goes to nodes where at most maxSkew are with it (the minimum is taken as 0, as a node can always be added:
// scheduling.md 5.6). Anti-affinity: no two pods that have the rule and are selected by it share a node.
static bool class_in_topology_group(const Solver *solver, const PodClass *class, uint32_t number) {
    const TopologyGroup *group = &solver->topology.groups.items[number];

    if (group->kind == GROUP_INVERSE) {
        for (vec_each(uint32_t, avoided, &class->avoided)) {
            if (*avoided == number)
                return true;
        }
        return false;
    }
    for (vec_each(uint32_t, own, &class_last_variant(class)->groups)) {
        if (*own == number)
            return class_counts_for(class, number);
    }
    return false;
}

// The topology groups that may limit the class.
static void candidates(const Solver *solver, const PodClass *class, Arena *arena, U32Vec *ret_groups) {
    for (vec_each(uint32_t, number, &class->inverse)) {
        if (solver->topology.groups.items[*number].key == INDEX_NONE)
            vec_push(arena, ret_groups, *number);
    }
    for (vec_each(uint32_t, number, &class_last_variant(class)->groups)) {
        const TopologyGroup *group = &solver->topology.groups.items[*number];

        if (group->key == INDEX_NONE && group->kind == GROUP_SPREAD)
            vec_push(arena, ret_groups, *number);
    }
}

typedef struct {
    PackBuilder *builder;
    Vec(PackGroup) all;
    IndexMap index;    // source (and whether it is a port) to `all`
    IndexMap ports;    // host port to source
    U32Vec *groups_of; // per class: into `all`
} GroupSearch;

static void join_group(GroupSearch *search, uint32_t class_number, uint32_t source, bool is_port, int64_t most) {
    PackBuilder *builder = search->builder;
    const PodClass *class = &builder->solver->classes.classes.items[class_number];
    uint64_t key = (uint64_t)is_port << 32 | source;
    uint32_t found = u64_map_get(&search->index, key);

    if (found == INDEX_NONE) {
        found = search->all.count;
        u64_map_put(&builder->scratch, &search->index, key, found);
        vec_push(&builder->scratch, &search->all, (PackGroup){source, is_port, most, 0});
    }
    CHECK(search->all.items, "a group that is not listed");
    search->all.items[found].pods += class->count;
    vec_push(&builder->scratch, &search->groups_of[class_number], found);
}

// The index of a port, in the order in which classes request ports.
static uint32_t port_source(GroupSearch *search, uint64_t port) {
    Arena *scratch = &search->builder->scratch;
    uint32_t source = u64_map_get(&search->ports, port);

    if (source != INDEX_NONE)
        return source;
    u64_map_put(scratch, &search->ports, port, search->ports.count);
    return search->ports.count - 1;
}

static void join_groups(GroupSearch *search, uint32_t class_number) {
    const Solver *solver = search->builder->solver;
    const PodClass *class = &solver->classes.classes.items[class_number];
    U32Vec groups = {0};

    candidates(solver, class, &search->builder->scratch, &groups);
    for (vec_each(uint32_t, number, &groups)) {
        const TopologyGroup *group = &solver->topology.groups.items[*number];

        if (class_in_topology_group(solver, class, *number))
            join_group(search, class_number, *number, false, group->kind == GROUP_SPREAD ? group->max_skew : 1);
    }
    for (uint32_t i = 0; class->ports && i < class->ports->count; i++)
        join_group(search, class_number, port_source(search, class->ports->ports[i]), true, 1);
}

// The number of nodes that the group needs at least.
static int64_t nodes_needed(const PackGroup *group) {
    return group->most > 0 ? (group->pods + group->most - 1) / group->most : INT64_MAX;
}

static int compare_groups(const void *a, const void *b) {
    const PackGroup *x = a, *y = b;
    int64_t m = nodes_needed(x), n = nodes_needed(y);

    if (m != n)
        return m > n ? -1 : 1;
    if (x->is_port != y->is_port)
        return x->is_port ? 1 : -1;
    return (x->source > y->source) - (x->source < y->source);
}

// Keeps the groups that need most nodes: those that need a fraction of these rarely bind, and each costs a dimension.
static void keep_groups(GroupSearch *search, uint32_t *ret_kept) {
    PackBuilder *builder = search->builder;
    PackGroup *sorted = arena_copy(&builder->scratch, search->all.items, search->all.count * sizeof *sorted);
    int64_t most_nodes;

    qsort(sorted, search->all.count, sizeof *sorted, compare_groups);
    most_nodes = nodes_needed(&sorted[0]);
    for (uint32_t i = 0; i < search->all.count && i < GROUPS_MAX; i++) {
        const PackGroup *group = &sorted[i];

        if (group->pods <= group->most || nodes_needed(group) < most_nodes / GROUPS_SPAN)
            break;
        ret_kept[u64_map_get(&search->index, (uint64_t)group->is_port << 32 | group->source)] = builder->groups.count;
        vec_push(&builder->scratch, &builder->groups, *group);
    }
}

void pack_find_groups(PackBuilder *builder) {
    uint32_t class_count = builder->solver->classes.classes.count, *kept;
    GroupSearch search = {.builder = builder, .groups_of = arena_array(&builder->scratch, U32Vec, class_count)};

    for (uint32_t i = 0; i < class_count; i++)
        join_groups(&search, i);
    builder->groups_of = search.groups_of;
    if (!search.all.count)
        return;
    kept = arena_array(&builder->scratch, uint32_t, search.all.count);
    for (uint32_t i = 0; i < search.all.count; i++)
        kept[i] = INDEX_NONE;
    keep_groups(&search, kept);
    for (uint32_t i = 0; i < class_count; i++) {
        U32Vec *groups = &search.groups_of[i];
        uint32_t count = 0;

        for (uint32_t j = 0; j < groups->count; j++) {
            if (kept[groups->items[j]] != INDEX_NONE)
                groups->items[count++] = kept[groups->items[j]];
        }
        groups->count = count;
    }
}

// --- items

void pack_fill_size(const PackBuilder *builder, uint32_t class_number, int64_t *ret_size) {
    const Packing *packing = builder->packing;
    const PodClass *class = &builder->solver->classes.classes.items[class_number];

    for (uint32_t dim = 0; dim < packing->resources; dim++) {
        int64_t amount = class->requests[packing->resource_of[dim]];

        ret_size[dim] = amount > 0 ? amount : 0;
    }
    for (uint32_t dim = packing->resources; dim < packing->dims; dim++)
        ret_size[dim] = 0;
    for (vec_each(uint32_t, group, &builder->groups_of[class_number]))
        ret_size[packing->resources + *group] = 1;
}

static PackItem *find_item(PackBuilder *builder, IndexMap *index, const int64_t *size, uint32_t family) {
    Packing *packing = builder->packing;
    uint64_t hash = slice_hash((Slice){(const char *)size, packing->dims * sizeof *size});
    uint32_t cursor = 0, found;
    PackItem *item;

    hash = hash_combine(hash, family);
    while ((found = index_map_next(index, hash, &cursor)) != INDEX_NONE) {
        item = &packing->items.items[found];
        if (item->family == family && memcmp(item->size, size, packing->dims * sizeof *size) == 0)
            return item;
    }
    index_map_add(&builder->scratch, index, hash, packing->items.count);
    item = vec_add(packing->arena, &packing->items);
    item->size = arena_copy(packing->arena, size, packing->dims * sizeof *size);
    item->family = family;
    return item;
}

// How strongly a class is bound to places. The classes of an item are tried in this order.
typedef enum { BOUND_TO_OTHERS, BOUND_TO_DOMAINS, BOUND_TO_NODES, BOUND_TO_NOTHING } Bond;

static Bond bond_of(const Solver *solver, const PodClass *class) {
    Bond bond = BOUND_TO_NOTHING;

    for (vec_each(uint32_t, number, &class_variant(class, 0)->groups)) {
        const TopologyGroup *group = &solver->topology.groups.items[*number];
        Bond own = group->kind == GROUP_AFFINITY ? BOUND_TO_OTHERS
                   : group->key != INDEX_NONE    ? BOUND_TO_DOMAINS
                                                 : BOUND_TO_NODES;

        if (own < bond)
            bond = own;
    }
    return bond;
}

typedef struct {
    uint32_t class;
    Bond bond;
} BoundClass;

static int compare_bound(const void *a, const void *b) {
    const BoundClass *x = a, *y = b;

    if (x->bond != y->bond)
        return x->bond < y->bond ? -1 : 1;
    return (x->class > y->class) - (x->class < y->class);
}

static BoundClass *order_classes(PackBuilder *builder) {
    const PodClassVec *classes = &builder->solver->classes.classes;
    BoundClass *order = arena_array(&builder->scratch, BoundClass, classes->count);

    for (uint32_t i = 0; i < classes->count; i++)
        order[i] = (BoundClass){i, bond_of(builder->solver, &classes->items[i])};
    if (classes->count)
        qsort(order, classes->count, sizeof *order, compare_bound);
    return order;
}

static void add_shares(PackBuilder *builder, IndexMap *index, int64_t *size) {
    for (vec_each(const PackShare, share, &builder->shares)) {
        pack_fill_size(builder, share->class, size);
        find_item(builder, index, size, builder->family_of[share->signature])->count += share->count;
    }
}

void pack_add_items(PackBuilder *builder) {
    Packing *packing = builder->packing;
    const PodClassVec *classes = &builder->solver->classes.classes;
    int64_t *size = arena_array(&builder->scratch, int64_t, packing->dims + 1);
    const BoundClass *order = order_classes(builder);
    IndexMap index = {0};

    for (uint32_t at = 0; at < classes->count; at++) {
        uint32_t i = order[at].class, count = builder->placed ? builder->placed->pods[i] : classes->items[i].count;
        PackItem *item;

        if (!count || builder->in_share[i])
            continue;
        pack_fill_size(builder, i, size);
        item = find_item(builder, &index, size, builder->family_of[builder->signature_of[i]]);
        item->count += count;
        vec_push(packing->arena, &item->classes, i);
    }
    add_shares(builder, &index, size);
}
