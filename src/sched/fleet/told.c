// Places pods as they are told.
#include "sched/fleet/told.h"

#include "sched/bin/limits.h"
#include "sched/input/class_variants.h"
#include "sched/place/marginal.h"
#include "sched/place/put.h"

#include <stdlib.h>

// --- by classes

static int compare_told(const void *a, const void *b, void *context) {
    const uint32_t *rank = context;
    const ToldPods *x = a, *y = b;

    if (x->class != y->class)
        return rank[x->class] < rank[y->class] ? -1 : 1;
    if (x->bin != y->bin)
        return x->bin < y->bin ? -1 : 1;
    return (x->claim > y->claim) - (x->claim < y->claim);
}

// Entries of one class and one place become one.
static void merge(const FleetSearch *search, ToldPodsVec *pods) {
    uint32_t kept = 0;

    if (pods->count)
        qsort_r(pods->items, pods->count, sizeof *pods->items, compare_told, search->rank);
    for (uint32_t i = 0; i < pods->count; i++) {
        if (kept && !compare_told(&pods->items[kept - 1], &pods->items[i], search->rank))
            pods->items[kept - 1].count += pods->items[i].count;
        else
            pods->items[kept++] = pods->items[i];
    }
    pods->count = kept;
}

Told told_make(const FleetSearch *search, Arena *arena, const FleetGroup *group, const uint32_t *class_of) {
    Told told = {.group = group};

    for (vec_each(const FleetPlace, place, &group->places)) {
        uint32_t bin = place->node == INDEX_NONE ? INDEX_NONE : search->bin_of_node[place->node];

        if (class_of[place->pod] == INDEX_NONE || (place->node != INDEX_NONE && bin == INDEX_NONE))
            continue;
        vec_push(arena, &told.pods, (ToldPods){class_of[place->pod], bin, place->claim, 1});
    }
    merge(search, &told.pods);
    return told;
}

// --- placing

typedef struct {
    FleetSearch *search;
    const Told *told;
    uint32_t *claims; // per claim of the group: its bin; INDEX_NONE: it is not open
    bool misfits;     // a claim can become none of its types any more
} Placing;

static Pool *pool_of(Solver *solver, const NodePool *pool) {
    for (vec_each(Pool, of, &solver->pools)) {
        if (of->pool == pool)
            return of;
    }
    return NULL;
}

// The claim may become no other types than those that the group names.
static void keep_named(Placing *placing, uint32_t number, const SymbolVec *types) {
    Solver *solver = placing->search->solver;
    Bin *bin = &solver->bins.items[number];
    const TypeTable *table = bin->pool->table;
    IndexMap named = {0};

    for (vec_each(const Symbol, name, types))
        u64_map_put(&placing->search->trial, &named, *name, 1);
    for (uint32_t row = 0; row < table->row_count; row++) {
        if (u64_map_get(&named, table->rows[row].type->name) == INDEX_NONE)
            bitset_clear(bin->rows, row);
    }
    if (bitset_is_empty(bin->rows, table->words))
        placing->misfits = true;
    else
        claim_charge(solver, bin);
}

// Where the claim was, so that spreads find it in the same domain.
static LabelSetId set_of(FleetSearch *search, const Labels *labels) {
    Universe *universe = &search->solver->universe;
    LabelSetBuilder builder = label_set_start(&search->trial, universe);
    Labels known = {0};

    for (uint32_t i = 0; i < labels->count; i++) {
        if (universe_key(universe, labels->items[i].key) != INDEX_NONE)
            labels_set(&search->trial, &known, labels->items[i].key, labels->items[i].value);
    }
    label_set_and_labels(&builder, &known);
    return label_set_finish(&builder);
}

static uint32_t open_claim(Placing *placing, const ToldPods *pods, Alternatives variants, uint32_t want) {
    const FleetClaim *claim = &placing->told->group->claims.items[pods->claim];
    Solver *solver = placing->search->solver;
    Pool *pool = pool_of(solver, claim->pool);
    uint32_t bin, placed;

    if (!pool)
        return 0;
    solver->opening = set_of(placing->search, &claim->labels);
    placed = put_on_claim(solver, pool, pods->class, variants, want, &bin);
    solver->opening = LABEL_SET_EMPTY;
    if (placed) {
        placing->claims[pods->claim] = bin;
        keep_named(placing, bin, &claim->types);
    }
    return placed;
}

static uint32_t put(Placing *placing, const ToldPods *pods, Alternatives variants, uint32_t want) {
    uint32_t bin = pods->bin == INDEX_NONE ? placing->claims[pods->claim] : pods->bin;

    if (bin == INDEX_NONE)
        return open_claim(placing, pods, variants, want);
    if (placing->search->solver->bins.items[bin].gone)
        return 0;
    return put_on_bin(placing->search->solver, bin, pods->class, variants, want);
}

static uint32_t put_some(Placing *placing, const ToldPods *pods, uint32_t want) {
    const PodClass *class = &placing->search->solver->classes.classes.items[pods->class];
    uint32_t placed = 0;

    for (uint32_t i = 0; i < class->variants.count && !placed && fleet_goes_on(placing->search);) {
        Alternatives variants = variant_alternatives(class, i);

        placed = put(placing, pods, variants, want);
        i += variants.count;
    }
    return placed;
}

static BinPods *entry_of(const BinPodsVec *pods, uint32_t class) {
    for (vec_each(BinPods, entry, pods)) {
        if (entry->class == class)
            return entry;
    }
    return NULL;
}

// Once through all of it: a spread may allow a pod only when another one has its place.
static bool put_all(Placing *placing, ToldPodsVec *told, const BinPodsVec *pods) {
    bool placed_any = false;

    for (uint32_t i = 0; i < told->count && !placing->misfits; i++) {
        ToldPods *entry = &told->items[i];
        BinPods *left = entry_of(pods, entry->class);
        uint32_t want = !left ? 0 : left->count < entry->count ? left->count : entry->count, placed;

        if (!want)
            continue;
        placed = put_some(placing, entry, want);
        left->count -= placed;
        entry->count -= placed;
        placed_any |= placed > 0;
    }
    return placed_any;
}

static void put_others(FleetSearch *search, BinPods *pods) {
    static const MoveRules free_room = {INDEX_NONE, LABEL_STATE_NONE, INT32_MIN, 0};
    const PodClass *class = &search->solver->classes.classes.items[pods->class];
    uint32_t placed = 1;

    for (uint32_t i = 0; i < class->variants.count && pods->count; i += variant_alternatives(class, i).count) {
        for (placed = 1; pods->count && placed && fleet_goes_on(search); pods->count -= placed)
            placed = marginal_move(search->solver, pods->class, i, pods->count, &free_room);
    }
}

bool told_place(FleetSearch *search, const Told *told, BinPodsVec *pods) {
    Placing placing = {.search = search, .told = told};
    ToldPodsVec left = {0};
    uint32_t homeless = 0;

    placing.claims = arena_array(&search->trial, uint32_t, told->group->claims.count);
    memset(placing.claims, 0xff, told->group->claims.count * sizeof *placing.claims);
    for (vec_each(const ToldPods, entry, &told->pods))
        vec_push(&search->trial, &left, *entry);
    while (put_all(&placing, &left, pods))
        continue;
    for (uint32_t i = 0; i < pods->count && !placing.misfits; i++) {
        put_others(search, &pods->items[i]);
        homeless += pods->items[i].count;
    }
    return !placing.misfits && !homeless;
}
