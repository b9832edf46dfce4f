// Choices of bins. Small plans are often chosen as a whole. In large ones bins are chosen that can gain from each
// other: claims of one pool may exchange pods, and bins with pods that one rule counts may exchange domains.
#include "sched/place/neighbours.h"

enum { BINS_MOST = 24, ENTRIES_MOST = 96 };

void neighbours_init(Neighbours *neighbours, const Rebuild *rebuild) {
    *neighbours = (Neighbours){.rebuild = rebuild};
    random_seed(&neighbours->random, 2);
    neighbours_renew(neighbours);
}

void neighbours_renew(Neighbours *neighbours) {
    const Solver *solver = neighbours->rebuild->solver;

    neighbours->open.count = 0;
    for (vec_each(const Bin, bin, &solver->bins)) {
        if (rebuild_may_empty(bin))
            vec_push(solver->arena, &neighbours->open, bin->number);
    }
}

// --- the chosen list

static void choose(const Neighbours *neighbours, U32Vec *bins, uint32_t number) {
    if (bins->count < BINS_MOST && !u32_vec_has(bins, number))
        vec_push(neighbours->rebuild->solver->arena, bins, number);
}

static uint32_t any(Neighbours *neighbours) {
    return neighbours->open.items[random_below(&neighbours->random, neighbours->open.count)];
}

// --- kinds of choices

static void choose_some(Neighbours *neighbours, uint32_t count, U32Vec *bins) {
    uint32_t open = neighbours->open.count;

    if (count * 4 < open) {
        for (uint32_t i = 0; i < count; i++)
            choose(neighbours, bins, any(neighbours));
        return;
    }
    for (uint32_t i = 0; i < open; i++) {
        if (random_below(&neighbours->random, open - i) < count - bins->count)
            vec_push(neighbours->rebuild->solver->arena, bins, neighbours->open.items[i]);
    }
}

static void choose_of_pool(Neighbours *neighbours, uint32_t count, U32Vec *bins) {
    const BinVec *all = &neighbours->rebuild->solver->bins;
    uint32_t first = any(neighbours);

    choose(neighbours, bins, first);
    for (uint32_t i = 0; i < count * 8 && bins->count < count; i++) {
        uint32_t number = any(neighbours);

        if (all->items[number].pool == all->items[first].pool)
            choose(neighbours, bins, number);
    }
}

static bool bin_is_counted(const Solver *solver, const Bin *bin, uint32_t group) {
    for (vec_each(const BinPods, pods, &bin->pods)) {
        if (class_counts_for(&solver->classes.classes.items[pods->class], group))
            return true;
    }
    return false;
}

// Chooses bins with pods that a random rule counts; the rule counts a pod of a random bin.
static void choose_of_rule(Neighbours *neighbours, uint32_t count, U32Vec *bins) {
    const Solver *solver = neighbours->rebuild->solver;
    const Bin *first = &solver->bins.items[any(neighbours)];
    const BinPods *pods = &first->pods.items[random_below(&neighbours->random, first->pods.count)];
    const U32Vec *rules = &solver->classes.classes.items[pods->class].counted;
    uint32_t start = random_below(&neighbours->random, neighbours->open.count), rule;

    if (!rules->count) {
        choose_some(neighbours, count, bins);
        return;
    }
    rule = rules->items[random_below(&neighbours->random, rules->count)];
    for (uint32_t i = 0; i < neighbours->open.count && bins->count < count; i++) {
        uint32_t number = neighbours->open.items[(start + i) % neighbours->open.count];

        if (bin_is_counted(solver, &solver->bins.items[number], rule))
            choose(neighbours, bins, number);
    }
}

// --- choosing

static uint32_t entries_of(const Neighbours *neighbours, const U32Vec *bins) {
    uint32_t entries = 0;

    for (vec_each(uint32_t, number, bins))
        entries += neighbours->rebuild->solver->bins.items[*number].pods.count;
    return entries;
}

bool neighbours_choose(Neighbours *neighbours, U32Vec *bins) {
    uint32_t turn = neighbours->turn++, open = neighbours->open.count;
    uint32_t few = 1 + random_below(&neighbours->random, open < 4 ? open : 4);

    bins->count = 0;
    switch (turn % 4) {
    case 0:
        choose_of_pool(neighbours, few, bins);
        break;
    case 1:
        choose_of_rule(neighbours, BINS_MOST / 2, bins);
        break;
    case 2:
        choose_some(neighbours, few, bins);
        break;
    default:
        choose_some(neighbours, 1 + random_below(&neighbours->random, open < BINS_MOST / 2 ? open : BINS_MOST / 2),
                    bins);
    }
    return bins->count && rebuild_add_dependents(neighbours->rebuild, bins, BINS_MOST) &&
           entries_of(neighbours, bins) <= ENTRIES_MOST;
}
