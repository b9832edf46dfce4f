// Rounds of multiplicative weights.
#include "sched/packing/split_prices.h"

#include <math.h>

enum {
    ROUNDS_MAX = 200,
    ALL_KINDS = 8, // every so many rounds all kinds are computed; else only those that are nearly cheapest for an item
};
static const double FAR = 1.5;      // times the least cost: a kind that will not be cheapest soon
static const double SETTLED = 1e-4; // relative gain between two rounds of all kinds at which the search ends

// With more items than this, splits are found for groups of items whose sizes differ by less than a quarter.
enum { ITEMS_ALONE = 300 };
static const double SIMILAR = 1.25;

typedef struct {
    const Packing *packing;
    Arena *arena;
    uint32_t items;      // items of the packing, or one for each group of similar ones; sorted by family
    uint32_t *item;      // index into the packing's items
    uint32_t *starts;    // per family and one more: its items
    double *pods;        // per item
    double *sizes;       // [dim * items + item], scaled
    double *rooms;       // [kind * dims + dim], scaled
    double *splits;      // [kind * dims + dim]: shares of the kind's price, 1 in all
    double *demand;      // [kind * dims + dim]: demand of the items for which it is cheapest, in rooms
    double *nearest;     // per kind: the least ratio of an item's cost there to its worth, when last computed
    double *unit_prices; // per dimension: of one kind
    double *costs;       // per item: cost on that kind
    double *worth;       // per item: cost on the kind where it is least
    double *inverse;     // per item: 1 / worth in the previous round
    uint64_t work;
} Splitting;

static bool runs_out(const Packing *packing, uint32_t kind) {
    return packing->kinds.items[kind].supply != INDEX_NONE;
}

static bool takes(const Packing *packing, uint32_t number, uint32_t item) {
    const PackKind *kind = &packing->kinds.items[number];
    const int64_t *size = packing->items.items[item].size;

    if (packing->most)
        return packing_most(packing, number)[item] > 0;
    if (!bitset_has(kind->families, packing->items.items[item].family))
        return false;
    for (uint32_t dim = 0; dim < packing->dims; dim++) {
        if (size[dim] > kind->room[dim])
            return false;
    }
    return true;
}

// A key that is equal for similar items.
static uint64_t similarity(const Packing *packing, uint32_t item) {
    const double *size = packing->scaled_sizes + (size_t)item * packing->dims;
    uint64_t hash = packing->items.items[item].family;

    for (uint32_t dim = 0; dim < packing->dims; dim++) {
        int32_t step = size[dim] > 0 ? (int32_t)(log(size[dim]) / log(SIMILAR)) : INT32_MAX;

        hash = hash_combine(hash, (uint32_t)step);
    }
    return hash;
}

// Lists the items; with `group`, one for each group of similar ones, with the pods of the group.
static void list_items(Splitting *splitting, bool group) {
    const Packing *packing = splitting->packing;
    IndexMap index = {0};

    for (uint32_t item = 0; item < packing->items.count; item++) {
        uint32_t found = INDEX_NONE;

        if (group) {
            uint64_t hash = similarity(packing, item);

            found = u64_map_get(&index, hash);
            if (found == INDEX_NONE)
                u64_map_put(splitting->arena, &index, hash, splitting->items);
        }
        if (found == INDEX_NONE) {
            found = splitting->items++;
            splitting->item[found] = item;
        }
        splitting->pods[found] += packing->items.items[item].count;
    }
}

// Sorts the list by family.
static void sort_items(Splitting *splitting) {
    const Packing *packing = splitting->packing;
    uint32_t *item = arena_array(splitting->arena, uint32_t, splitting->items);
    double *pods = arena_array(splitting->arena, double, splitting->items);
    uint32_t *next;

    splitting->starts = arena_array(splitting->arena, uint32_t, packing->family_count + 1);
    for (uint32_t i = 0; i < splitting->items; i++)
        splitting->starts[packing->items.items[splitting->item[i]].family + 1]++;
    for (uint32_t family = 0; family < packing->family_count; family++)
        splitting->starts[family + 1] += splitting->starts[family];
    next = arena_copy(splitting->arena, splitting->starts, (packing->family_count + 1) * sizeof *next);
    for (uint32_t i = 0; i < splitting->items; i++) {
        uint32_t at = next[packing->items.items[splitting->item[i]].family]++;

        item[at] = splitting->item[i];
        pods[at] = splitting->pods[i];
    }
    splitting->item = item;
    splitting->pods = pods;
}

// Starts with splits in proportion to the worth of the room at the prices, with a small share for every dimension.
static void start_splits(Splitting *splitting, const double *prices) {
    const Packing *packing = splitting->packing;

    for (uint32_t kind = 0; kind < packing->kinds.count; kind++) {
        double *split = splitting->splits + (size_t)kind * packing->dims, sum = 0;

        for (uint32_t dim = 0; dim < packing->dims; dim++) {
            double room = (double)packing->kinds.items[kind].room[dim] / packing->scales[dim];

            splitting->rooms[(size_t)kind * packing->dims + dim] = room;
            split[dim] = room > 0 ? prices[dim] * room + 1e-4 : 0;
            sum += split[dim];
        }
        for (uint32_t dim = 0; dim < packing->dims && sum > 0; dim++)
            split[dim] /= sum;
    }
}

static void start(Splitting *splitting, Arena *arena, const Packing *packing, bool group) {
    uint32_t kinds = packing->kinds.count;
    size_t cells = (size_t)kinds * packing->dims;

    *splitting = (Splitting){.packing = packing, .arena = arena};
    splitting->item = arena_array(arena, uint32_t, packing->items.count);
    splitting->pods = arena_array(arena, double, packing->items.count);
    list_items(splitting, group);
    sort_items(splitting);
    splitting->sizes = arena_array(arena, double, (size_t)splitting->items * packing->dims);
    for (uint32_t i = 0; i < splitting->items; i++) {
        for (uint32_t dim = 0; dim < packing->dims; dim++)
            splitting->sizes[(size_t)dim * splitting->items + i] =
                packing->scaled_sizes[(size_t)splitting->item[i] * packing->dims + dim];
    }
    splitting->rooms = arena_array(arena, double, cells);
    splitting->splits = arena_array(arena, double, cells);
    splitting->demand = arena_array(arena, double, cells);
    splitting->nearest = arena_array(arena, double, kinds);
    splitting->unit_prices = arena_array(arena, double, packing->dims);
    splitting->costs = arena_array(arena, double, splitting->items);
    splitting->worth = arena_array(arena, double, splitting->items);
    splitting->inverse = arena_array(arena, double, splitting->items);
}

// What a scaled unit of each dimension costs on the kind.
static void fill_unit_prices(Splitting *splitting, uint32_t kind) {
    uint32_t dims = splitting->packing->dims;
    const double *splits = splitting->splits + (size_t)kind * dims, *rooms = splitting->rooms + (size_t)kind * dims;

    for (uint32_t dim = 0; dim < dims; dim++)
        splitting->unit_prices[dim] =
            rooms[dim] > 0 ? splitting->packing->kinds.items[kind].price * splits[dim] / rooms[dim] : 0;
}

// The cost of each item of the family at the unit prices: its share of the kind's price.
static void fill_costs(Splitting *splitting, uint32_t family) {
    const Packing *packing = splitting->packing;
    uint32_t from = splitting->starts[family], to = splitting->starts[family + 1];

    splitting->work += (uint64_t)(to - from) * packing->dims;
    for (uint32_t item = from; item < to; item++)
        splitting->costs[item] = 0;
    for (uint32_t dim = 0; dim < packing->dims; dim++) {
        const double *sizes = splitting->sizes + (size_t)dim * splitting->items;
        double price = splitting->unit_prices[dim];

        for (uint32_t item = from; item < to && price > 0; item++)
            splitting->costs[item] += price * sizes[item];
    }
}

// Lowers the worths of items of the family to their costs on the kind.
static void look_at(Splitting *splitting, uint32_t kind, uint32_t family) {
    const Packing *packing = splitting->packing;
    double nearest = splitting->nearest[kind];

    fill_costs(splitting, family);
    for (uint32_t item = splitting->starts[family]; item < splitting->starts[family + 1]; item++) {
        double cost = splitting->costs[item], ratio = cost * splitting->inverse[item];

        if (ratio >= FAR || (cost >= splitting->worth[item] && ratio >= nearest) ||
            !takes(packing, kind, splitting->item[item]))
            continue;
        splitting->worth[item] = fmin(splitting->worth[item], cost);
        nearest = fmin(nearest, ratio);
    }
    splitting->nearest[kind] = nearest;
}

// worth = the least cost over the kinds in unlimited supply that are computed in this round, or FAR times the worth
// before if that is less (kinds that are not computed cost at least that); 0 where there is no such kind. `first`:
// there is no worth before.
static void price_items(Splitting *splitting, bool all, bool first) {
    const Packing *packing = splitting->packing;
    uint32_t items = splitting->items, words = bitset_words(packing->family_count);

    for (uint32_t item = 0; item < items; item++) {
        splitting->inverse[item] = first ? 0 : 1 / splitting->worth[item];
        splitting->worth[item] = INFINITY;
    }
    for (uint32_t kind = 0; kind < packing->kinds.count; kind++) {
        if (runs_out(packing, kind) || (!all && splitting->nearest[kind] >= FAR))
            continue;
        splitting->nearest[kind] = INFINITY;
        fill_unit_prices(splitting, kind);
        for (bitset_each(family, packing->kinds.items[kind].families, words))
            look_at(splitting, kind, family);
    }
    for (uint32_t item = 0; item < items; item++) {
        if (isinf(splitting->worth[item]))
            splitting->worth[item] = first || isinf(splitting->inverse[item]) ? 0 : FAR / splitting->inverse[item];
    }
}

// Adds the demand of the family's items on the kind, weighted by how near their cost there is to the least.
static void add_demand(Splitting *splitting, uint32_t kind, uint32_t family, double near, double *demand) {
    const Packing *packing = splitting->packing;

    fill_costs(splitting, family);
    for (uint32_t item = splitting->starts[family]; item < splitting->starts[family + 1]; item++) {
        double pods = splitting->pods[item] * (1 + near - splitting->costs[item] / splitting->worth[item]);

        if (!(pods > 0) || !takes(packing, kind, splitting->item[item])) // NaN when the item is worth nothing
            continue;
        for (uint32_t dim = 0; dim < packing->dims; dim++)
            demand[dim] += pods * splitting->sizes[(size_t)dim * splitting->items + item];
    }
}

// Sums the demand on each kind, in rooms of it.
static void sum_demand(Splitting *splitting, double near) {
    const Packing *packing = splitting->packing;
    uint32_t dims = packing->dims, words = bitset_words(packing->family_count);

    memset(splitting->demand, 0, (size_t)packing->kinds.count * dims * sizeof *splitting->demand);
    for (uint32_t kind = 0; kind < packing->kinds.count; kind++) {
        double *demand = splitting->demand + (size_t)kind * dims;

        if (runs_out(packing, kind) || splitting->nearest[kind] >= FAR)
            continue;
        fill_unit_prices(splitting, kind);
        for (bitset_each(family, packing->kinds.items[kind].families, words))
            add_demand(splitting, kind, family, near, demand);
        for (uint32_t dim = 0; dim < dims; dim++)
            demand[dim] = demand[dim] > 0 ? demand[dim] / splitting->rooms[(size_t)kind * dims + dim] : 0;
    }
}

// Shifts the price of each kind towards the dimensions in most demand.
static void shift(Splitting *splitting, double rate) {
    uint32_t dims = splitting->packing->dims;

    for (uint32_t kind = 0; kind < splitting->packing->kinds.count; kind++) {
        double *split = splitting->splits + (size_t)kind * dims, sum = 0, mean = 0;
        const double *demand = splitting->demand + (size_t)kind * dims;

        for (uint32_t dim = 0; dim < dims; dim++)
            mean += split[dim] * demand[dim];
        if (mean <= 0)
            continue;
        for (uint32_t dim = 0; dim < dims; dim++) {
            split[dim] *= exp(rate * fmin(demand[dim] / mean - 1, 1));
            sum += split[dim];
        }
        for (uint32_t dim = 0; dim < dims; dim++)
            split[dim] /= sum;
    }
}

static double total(const Splitting *splitting) {
    double sum = 0;

    for (uint32_t item = 0; item < splitting->items; item++)
        sum += splitting->worth[item] * splitting->pods[item];
    return sum;
}

// Searches splits; the best found are in `ret_best`.
static void run(Splitting *splitting, uint64_t work, double *ret_best) {
    size_t bytes = (size_t)splitting->packing->kinds.count * splitting->packing->dims * sizeof *ret_best;
    double best = 0;

    price_items(splitting, true, true);
    memcpy(ret_best, splitting->splits, bytes);
    for (uint32_t round = 0; round < ROUNDS_MAX && splitting->work < work && packing_spend(splitting->packing, 0);
         round++) {
        bool all = round % ALL_KINDS == 0;

        price_items(splitting, all, false);
        if (all) {
            double value = total(splitting);

            if (round > 2 * ALL_KINDS && value < best * (1 + SETTLED))
                break;
            if (value > best)
                memcpy(ret_best, splitting->splits, bytes);
            best = fmax(best, value);
        }
        sum_demand(splitting, 0.1 / (1 + round / 8.0));
        shift(splitting, 1 / sqrt(1 + round));
    }
}

static void offer(Splitting *splitting, FloorProof *proof, BoundContent *bound_limited, void *context) {
    const Packing *packing = splitting->packing;
    double *bounds = arena_array(splitting->arena, double, packing->kinds.count);
    double *worth = arena_array(splitting->arena, double, packing->items.count);

    for (uint32_t i = 0; i < splitting->items; i++)
        worth[splitting->item[i]] = splitting->worth[i];
    for (uint32_t kind = 0; kind < packing->kinds.count; kind++)
        bounds[kind] = runs_out(packing, kind) ? bound_limited(context, kind, worth) : packing->kinds.items[kind].price;
    floor_proof_offer(proof, packing, worth, bounds);
}

void split_prices_raise(FloorProof *proof, const Packing *packing, const double *prices, uint64_t work,
                        BoundContent *bound_limited, void *context, double *ret_dearness) {
    Arena scratch = {0};
    Splitting search, all;
    double *best;

    start(&search, &scratch, packing, packing->items.count > ITEMS_ALONE);
    start_splits(&search, prices);
    best = arena_array(&scratch, double, (size_t)packing->kinds.count * packing->dims);
    run(&search, work, best);
    packing_spend(packing, search.work);
    start(&all, &scratch, packing, false);
    all.rooms = search.rooms;
    all.splits = best;
    price_items(&all, true, true);
    offer(&all, proof, bound_limited, context);
    price_items(&all, true, false); // the same worths again, which sets `nearest`
    memcpy(ret_dearness, all.nearest, packing->kinds.count * sizeof *ret_dearness);
    arena_free(&scratch);
}
