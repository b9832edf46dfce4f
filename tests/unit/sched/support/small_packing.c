// Small packings and exhaustive search.
#include "sched/support/small_packing.h"

#include <math.h>

enum { PODS_MAX = 6, RESOURCES = 3, GROUPS_MAX = 2, DIMS_MAX = RESOURCES + GROUPS_MAX };

// --- drawing

static int64_t draw(Random *random, uint32_t low, uint32_t high) {
    return low + random_below(random, high - low + 1);
}

static void add_item(Packing *packing, Random *random) {
    int64_t size[DIMS_MAX] = {draw(random, 1, 30) * 100, draw(random, 1, 24) * 256, 1};
    PackItem item = {.count = 1, .family = random_below(random, packing->family_count)};

    for (uint32_t dim = RESOURCES; dim < packing->dims; dim++)
        size[dim] = random_chance(random, 40);
    item.size = arena_copy(packing->arena, size, packing->dims * sizeof *size);
    vec_push(packing->arena, &packing->items, item);
}

// Adds a small, large or existing kind. Room has odd amounts, as after subtracting daemons.
static void add_kind(Packing *packing, Random *random, const int64_t *most, bool takes_all, bool exists) {
    int64_t cpus = takes_all ? draw(random, 4, 16) : draw(random, 1, 16), per_cpu = 1 << random_below(random, 4);
    int64_t room[DIMS_MAX] = {cpus * 1000 - draw(random, 0, 6) * 100, cpus * per_cpu * 1024 - draw(random, 0, 4) * 128,
                              draw(random, 1, 5)};
    uint64_t families = packing->family_count == 1 ? 1 : takes_all ? 3 : 1 + random_below(random, 3);
    PackKind kind = {.supply = INDEX_NONE};

    if (takes_all)
        room[1] += 8192; // any single pod
    for (uint32_t group = 0; group < GROUPS_MAX; group++)
        room[RESOURCES + group] = most[group];
    kind.room = arena_copy(packing->arena, room, packing->dims * sizeof *room);
    kind.families = arena_copy(packing->arena, &families, sizeof families);
    if (exists) {
        kind.supply = packing->supplies.count;
        vec_push(packing->arena, &packing->supplies, (double)draw(random, 1, 2));
    } else {
        kind.price = (double)cpus * (0.04 + 0.004 * (double)per_cpu) * (0.8 + 0.05 * (double)draw(random, 0, 8));
    }
    vec_push(packing->arena, &packing->kinds, kind);
}

void small_packing_draw(Packing *packing, Arena *arena, Random *random) {
    uint32_t groups = random_below(random, GROUPS_MAX + 1), items = 1 + random_below(random, PODS_MAX);
    uint32_t kinds = random_below(random, 4), nodes = random_chance(random, 40) ? random_below(random, 3) : 0;
    int64_t most[GROUPS_MAX] = {draw(random, 1, 2), draw(random, 1, 2)};

    *packing = (Packing){.arena = arena,
                         .dims = RESOURCES + groups,
                         .resources = RESOURCES,
                         .family_count = random_chance(random, 30) ? 2 : 1};
    for (uint32_t i = 0; i < items; i++)
        add_item(packing, random);
    for (uint32_t left = PODS_MAX - items; left > 0 && random_chance(random, 70); left--)
        packing->items.items[random_below(random, items)].count++;
    add_kind(packing, random, most, true, false);
    for (uint32_t i = 0; i < kinds; i++)
        add_kind(packing, random, most, false, false);
    for (uint32_t i = 0; i < nodes; i++)
        add_kind(packing, random, most, false, true);
}

// --- exhaustive search

bool small_packing_fits(const Packing *packing, uint32_t number, const uint32_t *counts) {
    const PackKind *kind = &packing->kinds.items[number];

    for (uint32_t dim = 0; dim < packing->dims; dim++) {
        int64_t used = 0;

        for (uint32_t i = 0; i < packing->items.count; i++)
            used += packing->items.items[i].size[dim] * counts[i];
        if (used > kind->room[dim])
            return false;
    }
    for (uint32_t i = 0; i < packing->items.count; i++) {
        if (counts[i] && !bitset_has(kind->families, packing->items.items[i].family))
            return false;
    }
    return true;
}

// Sets of pods are bitmasks: those of item 0 first, then those of item 1, …
static uint32_t pod_count(const Packing *packing) {
    uint32_t count = 0;

    for (vec_each(PackItem, item, &packing->items))
        count += item->count;
    return count;
}

static bool subset_fits(const Packing *packing, uint32_t kind, uint32_t pods) {
    uint32_t counts[PODS_MAX] = {0}, bit = 0;

    for (uint32_t i = 0; i < packing->items.count; i++) {
        for (uint32_t j = 0; j < packing->items.items[i].count; j++)
            counts[i] += pods >> bit++ & 1;
    }
    return small_packing_fits(packing, kind, counts);
}

// Lowers costs[pods] by one node of the kind for part of them.
static void use_one(const Packing *packing, uint32_t kind, const double *before, double *costs, uint32_t all) {
    for (uint32_t pods = 1; pods <= all; pods++) {
        for (uint32_t part = pods; part; part = (part - 1) & pods) {
            double cost = before[pods & ~part] + packing->kinds.items[kind].price;

            if (cost < costs[pods] && subset_fits(packing, kind, part))
                costs[pods] = cost;
        }
    }
}

double small_packing_optimum(const Packing *packing) {
    uint32_t all = (1U << pod_count(packing)) - 1;
    double costs[1 << PODS_MAX], before[1 << PODS_MAX];

    for (uint32_t pods = 0; pods <= all; pods++)
        costs[pods] = pods ? INFINITY : 0;
    for (uint32_t kind = 0; kind < packing->kinds.count; kind++) {
        uint32_t supply = packing->kinds.items[kind].supply;
        double times = supply == INDEX_NONE ? pod_count(packing) : packing->supplies.items[supply];

        for (uint32_t time = 0; time < times; time++) {
            memcpy(before, costs, sizeof before);
            use_one(packing, kind, before, costs, all);
        }
    }
    return costs[all];
}

double small_packing_best_content(const Packing *packing, uint32_t kind, const double *worth) {
    uint32_t all = (1U << pod_count(packing)) - 1;
    double best = 0;

    for (uint32_t pods = 1; pods <= all; pods++) {
        double value = 0;
        uint32_t bit = 0;

        for (uint32_t i = 0; i < packing->items.count; i++) {
            for (uint32_t j = 0; j < packing->items.items[i].count; j++)
                value += pods >> bit++ & 1 ? worth[i] : 0;
        }
        if (value > best && subset_fits(packing, kind, pods))
            best = value;
    }
    return best;
}
