// Makes the packing of a prepared solver.
#include "sched/bin/home_pool.h"
#include "sched/packing/pack_items.h"
#include "sched/packing/pack_nodes.h"
#include "sched/packing/pack_pools.h"
#include "sched/packing/pack_shares.h"
#include "sched/packing/pack_signatures.h"

#include <stdlib.h>

// --- dimensions

// Only resources that some pod requests are dimensions.
static void find_resources(PackBuilder *builder) {
    Packing *packing = builder->packing;
    const ClassTable *classes = &builder->solver->classes;

    packing->resource_of = arena_array(packing->arena, uint32_t, classes->dimensions.count);
    for (uint32_t dim = 0; dim < classes->dimensions.count; dim++) {
        bool asked = false;

        for (uint32_t i = 0; i < classes->classes.count && !asked; i++)
            asked = classes->classes.items[i].requests[dim] > 0;
        if (asked)
            packing->resource_of[packing->resources++] = dim;
    }
    packing->dims = packing->resources + builder->groups.count;
}

// --- kinds

static int compare_kinds(const void *a, const void *b) {
    const PackKind *x = a, *y = b;

    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_by_takers(const void *a, const void *b) {
    const PackKind *x = a, *y = b;

    if (x->takers != y->takers)
        return x->takers < y->takers ? -1 : 1;
    return compare_kinds(a, b);
}

// Numbers the distinct sets of families (of `words` words each).
static void number_takers(Arena *scratch, PackKindVec *kinds, uint32_t words) {
    IndexMap index = {0};
    Vec(const uint64_t *) sets = {0};

    for (vec_each(PackKind, kind, kinds)) {
        uint64_t hash = slice_hash((Slice){(const char *)kind->families, words * sizeof *kind->families});
        uint32_t cursor = 0, found;

        while ((found = index_map_next(&index, hash, &cursor)) != INDEX_NONE) {
            CHECK(sets.items, "a set that is not listed");
            if (bitset_eq(sets.items[found], kind->families, words))
                break;
        }
        if (found == INDEX_NONE) {
            found = sets.count;
            index_map_add(scratch, &index, hash, found);
            vec_push(scratch, &sets, kind->families);
        }
        kind->takers = found;
    }
}

static bool dominates(const PackBuilder *builder, const PackKind *better, const PackKind *kind) {
    if (better->supply != INDEX_NONE || better->takers != kind->takers || better->price > kind->price)
        return false;
    for (uint32_t dim = 0; dim < builder->packing->dims; dim++) {
        if (better->room[dim] < kind->room[dim])
            return false;
    }
    return true;
}

// Drops each kind for which another in unlimited supply costs no more, has no less room and takes the same pods: every
// node of it in a packing can be replaced. Of equal ones the first stays. (The other might take more pods; comparing
// only kinds that take the same ones is much faster.)
static void drop_dominated(PackBuilder *builder) {
    PackKindVec *kinds = &builder->packing->kinds;
    uint32_t kept = 0, first = 0;

    for (uint32_t i = 0; i < kinds->count; i++)
        kinds->items[i].rank = i;
    number_takers(&builder->scratch, kinds, builder->signature_words);
    if (kinds->count)
        qsort(kinds->items, kinds->count, sizeof *kinds->items, compare_by_takers);
    for (uint32_t i = 0; i < kinds->count; i++) {
        const PackKind kind = kinds->items[i];
        bool drop = bitset_is_empty(kind.families, builder->signature_words);

        if (kept > first && kinds->items[kept - 1].takers != kind.takers)
            first = kept;
        for (uint32_t j = first; j < kept && !drop; j++)
            drop = dominates(builder, &kinds->items[j], &kind);
        // Later ones of the same price may have more room.
        for (uint32_t j = i + 1; j < kinds->count && kinds->items[j].price == kind.price && !drop; j++)
            drop = dominates(builder, &kinds->items[j], &kind) && !dominates(builder, &kind, &kinds->items[j]);
        if (!drop)
            kinds->items[kept++] = kind;
    }
    kinds->count = kept;
    if (kept)
        qsort(kinds->items, kept, sizeof *kinds->items, compare_kinds);
}

// --- weights

// Per class, the weight of the heaviest pool that certainly would have opened a claim for its pods; INT32_MIN: unknown.
static int32_t *find_homes(PackBuilder *builder) {
    Solver *solver = builder->solver;
    const PodClassVec *classes = &solver->classes.classes;
    int32_t *homes = arena_array(&builder->scratch, int32_t, classes->count);

    for (uint32_t i = 0; i < classes->count; i++) {
        const PodClass *class = &classes->items[i];

        homes[i] = INT32_MIN;
        if (class_variant(class, 0)->keys.count || !class_may_open(solver, class))
            continue;
        for (vec_each(const Pool, pool, &solver->pools)) { // heaviest first
            if (homes[i] == INT32_MIN && pool_surely_serves(solver, pool, class, pool->open_state))
                homes[i] = pool->pool->weight;
        }
    }
    return homes;
}

// Classes whose pods may have opened a claim of a pool.
typedef struct {
    U32Vec classes;
    uint64_t *signatures; // their signatures
} Openers;

static Openers find_openers(PackBuilder *builder, const int32_t *homes, const Pool *pool) {
    Openers openers = {.signatures = bitset_new(&builder->scratch, builder->signatures.count)};

    for (uint32_t i = 0; i < builder->solver->classes.classes.count; i++) {
        if (homes[i] > pool->pool->weight)
            continue;
        vec_push(&builder->scratch, &openers.classes, i);
        bitset_set(openers.signatures, builder->signature_of[i]);
    }
    return openers;
}

static bool holds(const PackBuilder *builder, const PackKind *kind, uint32_t class_number) {
    const Packing *packing = builder->packing;
    const PodClass *class = &builder->solver->classes.classes.items[class_number];

    if (!bitset_has(kind->families, builder->signature_of[class_number]))
        return false;
    for (uint32_t dim = 0; dim < packing->resources; dim++) {
        if (class->requests[packing->resource_of[dim]] > kind->room[dim])
            return false;
    }
    return true;
}

static bool may_open(const PackBuilder *builder, const Openers *openers, const PackKind *kind) {
    if (!openers->signatures || !bitset_intersects(openers->signatures, kind->families, builder->signature_words))
        return false;
    for (vec_each(const uint32_t, class, &openers->classes)) {
        if (holds(builder, kind, *class))
            return true;
    }
    return false;
}

// Drops kinds that hold no pod for which a claim of their pool can be opened: a lighter pool's claim is opened for pods
// that no heavier pool would have taken. O(pools × classes + kinds × classes).
static void drop_unopened(PackBuilder *builder) {
    const PoolVec *pools = &builder->solver->pools;
    PackKindVec *kinds = &builder->packing->kinds;
    Openers *openers;
    uint32_t kept = 0;
    const int32_t *homes;

    if (!pools->count || pools->items[0].pool->weight == vec_last(pools)->pool->weight)
        return;
    homes = find_homes(builder);
    openers = arena_alloc_array(&builder->scratch, sizeof *openers, pools->count);
    for (uint32_t i = 0; i < pools->count; i++)
        openers[i] = find_openers(builder, homes, &pools->items[i]);
    for (uint32_t i = 0; i < kinds->count; i++) {
        if (may_open(builder, &openers[kinds->items[i].pool], &kinds->items[i]))
            kinds->items[kept++] = kinds->items[i];
    }
    kinds->count = kept;
}

// --- families

static bool same_kinds(const PackBuilder *builder, uint32_t a, uint32_t b) {
    for (vec_each(PackKind, kind, &builder->packing->kinds)) {
        if (bitset_has(kind->families, a) != bitset_has(kind->families, b))
            return false;
    }
    return true;
}

static uint32_t family_of(PackBuilder *builder, IndexMap *index, U32Vec *leaders, uint32_t signature) {
    uint64_t hash = 0;
    uint32_t cursor = 0, found;

    for (vec_each(PackKind, kind, &builder->packing->kinds))
        hash = hash * 31 + bitset_has(kind->families, signature);
    while ((found = index_map_next(index, hash_u64(hash), &cursor)) != INDEX_NONE) {
        CHECK(leaders->items, "a family that is not listed");
        if (same_kinds(builder, leaders->items[found], signature))
            return found;
    }
    index_map_add(&builder->scratch, index, hash_u64(hash), leaders->count);
    vec_push(&builder->scratch, leaders, signature);
    return leaders->count - 1;
}

// Merges signatures that the same kinds take into families, and rewrites the kinds' sets.
static void merge_families(PackBuilder *builder) {
    Packing *packing = builder->packing;
    IndexMap index = {0};
    U32Vec leaders = {0};

    builder->family_of = arena_array(&builder->scratch, uint32_t, builder->signatures.count);
    for (uint32_t i = 0; i < builder->signatures.count; i++)
        builder->family_of[i] = family_of(builder, &index, &leaders, i);
    packing->family_count = leaders.count;
    for (vec_each(PackKind, kind, &packing->kinds)) {
        uint64_t *families = bitset_new(packing->arena, leaders.count);

        for (uint32_t i = 0; i < leaders.count; i++) {
            if (bitset_has(kind->families, leaders.items[i]))
                bitset_set(families, i);
        }
        kind->families = families;
    }
}

// --- finishing

// Limits the room of kinds to the size of all items together.
static void clamp_rooms(Packing *packing) {
    for (uint32_t dim = 0; dim < packing->dims; dim++) {
        int64_t total = 0;

        for (vec_each(PackItem, item, &packing->items)) {
            int64_t amount;

            if (__builtin_mul_overflow(item->size[dim], (int64_t)item->count, &amount) ||
                __builtin_add_overflow(total, amount, &total)) {
                total = INT64_MAX;
                break;
            }
        }
        packing->scales[dim] = 1;
        for (vec_each(PackKind, kind, &packing->kinds)) {
            if (kind->room[dim] > total)
                kind->room[dim] = total;
            if ((double)kind->room[dim] > packing->scales[dim])
                packing->scales[dim] = (double)kind->room[dim];
        }
    }
}

static uint32_t fit_into(const Packing *packing, const int64_t *room, const PackItem *item) {
    uint32_t most = item->count;

    for (uint32_t dim = 0; dim < packing->dims; dim++) {
        if (item->size[dim] > 0 && room[dim] / item->size[dim] < (int64_t)most)
            most = (uint32_t)(room[dim] / item->size[dim]);
    }
    return most;
}

static uint32_t how_many_fit(const Packing *packing, const PackKind *kind, const PackItem *item) {
    uint64_t most = 0;

    if (!bitset_has(kind->families, item->family))
        return 0;
    if (!kind->together)
        return fit_into(packing, kind->room, item);
    for (vec_each(const PackNode, node, kind->together))
        most += (uint64_t)fit_into(packing, node->room, item) * node->count;
    return most < item->count ? (uint32_t)most : item->count;
}

// Drops items that fit nowhere.
static void drop_hopeless_items(Packing *packing) {
    uint32_t kept = 0;

    for (uint32_t i = 0; i < packing->items.count; i++) {
        bool fits = false;

        for (uint32_t k = packing->kinds.count; k-- > 0 && !fits;) // from the most expensive, which are the largest
            fits = how_many_fit(packing, &packing->kinds.items[k], &packing->items.items[i]) > 0;
        if (fits)
            packing->items.items[kept++] = packing->items.items[i];
    }
    packing->items.count = kept;
}

static void fill_most(Packing *packing) {
    uint32_t items = packing->items.count, kept = 0;

    packing->most = arena_array(packing->arena, uint32_t, (size_t)packing->kinds.count * items);
    for (uint32_t k = 0; k < packing->kinds.count; k++) {
        uint32_t *most = packing->most + (size_t)kept * items;
        bool any = false;

        for (uint32_t i = 0; i < items; i++) {
            most[i] = how_many_fit(packing, &packing->kinds.items[k], &packing->items.items[i]);
            any |= most[i] > 0;
        }
        if (any) // else the kind takes no item
            packing->kinds.items[kept++] = packing->kinds.items[k];
    }
    packing->kinds.count = kept;
}

static void list_takes(Packing *packing) {
    uint32_t items = packing->items.count, count = 0;

    for (uint32_t i = 0; i < packing->kinds.count * items; i++)
        count += packing->most[i] > 0;
    packing->takes = arena_array(packing->arena, uint32_t, count);
    packing->takes_end = arena_array(packing->arena, uint32_t, packing->kinds.count);
    count = 0;
    for (uint32_t kind = 0; kind < packing->kinds.count; kind++) {
        for (uint32_t item = 0; item < items; item++) {
            if (packing_most(packing, kind)[item])
                packing->takes[count++] = item;
        }
        packing->takes_end[kind] = count;
    }
}

// Whether price and room of two kinds are nearly equal. Patterns of one fit the other but for a few percent, and a
// claim becomes the cheapest type that holds its pods anyway.
static bool much_alike(const Packing *packing, const PackKind *a, const PackKind *b) {
    const double near = 1.12;

    if (a->supply != INDEX_NONE || b->supply != INDEX_NONE || b->price > a->price * near)
        return false;
    for (uint32_t dim = 0; dim < packing->resources; dim++) {
        double x = (double)a->room[dim], y = (double)b->room[dim];

        if (x > y * near || y > x * near)
            return false;
    }
    return true;
}

static void choose_main_kinds(Packing *packing) {
    Arena scratch = {0};
    U32Vec *same = arena_array(&scratch, U32Vec, packing->kinds.count); // main kinds by takers

    number_takers(&scratch, &packing->kinds, bitset_words(packing->family_count));
    for (uint32_t k = 0; k < packing->kinds.count; k++) {
        U32Vec *others = &same[packing->kinds.items[k].takers];
        bool alike = false;

        for (uint32_t i = others->count; i-- > 0 && !alike;) // from the last, which is nearest in price
            alike = much_alike(packing, &packing->kinds.items[others->items[i]], &packing->kinds.items[k]);
        if (alike)
            continue;
        vec_push(&scratch, others, k);
        vec_push(packing->arena, &packing->main_kinds, k);
    }
    arena_free(&scratch);
}

void packing_finish(Packing *packing) {
    drop_hopeless_items(packing);
    packing->scales = arena_array(packing->arena, double, packing->dims);
    clamp_rooms(packing);
    packing->scaled_sizes = arena_array(packing->arena, double, (size_t)packing->items.count * packing->dims);
    for (uint32_t i = 0; i < packing->items.count; i++) {
        for (uint32_t dim = 0; dim < packing->dims; dim++)
            packing->scaled_sizes[(size_t)i * packing->dims + dim] =
                (double)packing->items.items[i].size[dim] / packing->scales[dim];
    }
    if (packing->items.count > PACK_ITEMS_MAX || (uint64_t)packing->items.count * packing->kinds.count > PACK_CELLS_MAX)
        return;
    fill_most(packing);
    list_takes(packing);
    choose_main_kinds(packing);
}

void packing_make(Packing *packing, Arena *arena, Solver *solver, const PackPlaced *placed) {
    PackBuilder builder = {.solver = solver, .packing = packing, .placed = placed};

    *packing = (Packing){.arena = arena, .budget = &solver->budget};
    pack_find_groups(&builder);
    find_resources(&builder);
    pack_find_signatures(&builder);
    pack_find_shares(&builder);
    pack_add_pools(&builder);
    drop_unopened(&builder);
    pack_add_nodes(&builder);
    drop_dominated(&builder);
    merge_families(&builder);
    pack_add_items(&builder);
    packing_finish(packing);
    arena_free(&builder.scratch);
}
