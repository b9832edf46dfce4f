// No single order is best: largest first suits resources, least freedom first suits rules. So each trial uses a random
// one of these, with random deviations. Some trials also add random amounts to the prices that are compared, so that
// a pool, type or domain that costs a little more for the first pod is tried too: it may be cheaper for all pods.
#include "sched/place/displaced.h"

#include "sched/input/class_variants.h"
#include "sched/place/marginal.h"
#include "sched/place/marginal_state.h"

#include <math.h>
#include <stdlib.h>

// --- classes

// Finds the affinity groups that count pods without the rule.
static void find_joined(const Solver *solver, bool *ret_joined) {
    for (vec_each(const PodClass, class, &solver->classes.classes)) {
        for (vec_each(uint32_t, number, &class->wanted)) {
            if (!u32_vec_has(&class_variant(class, 0)->groups, *number))
                ret_joined[*number] = true;
        }
    }
}

static bool class_follows(const PodClass *class, const bool *joined) {
    for (vec_each(uint32_t, number, &class_variant(class, 0)->groups)) {
        if (joined[*number])
            return true;
    }
    return false;
}

// The restriction to on-demand, used in some trials: a launch that may choose takes spot, even where that costs more.
static LabelSetId on_demand(Solver *solver) {
    uint32_t key = universe_key(&solver->universe, NAME_CAPACITY_TYPE);

    if (key == INDEX_NONE)
        return LABEL_SET_EMPTY;
    return label_state_pin_set(&solver->states, key, universe_atom(&solver->universe, key, NAME_ON_DEMAND));
}

void displacing_init(Displacing *displacing, Solver *solver, Arena *arena) {
    uint32_t count = solver->classes.classes.count;
    Arena scratch = {0};
    ClassOrder *orders = arena_array(&scratch, ClassOrder, count);
    bool *joined = arena_array(&scratch, bool, solver->topology.groups.count);

    *displacing = (Displacing){.solver = solver, .arena = arena};
    displacing->freedom = arena_array(arena, uint8_t, count);
    displacing->size = arena_array(arena, double, count);
    displacing->follows = arena_array(arena, bool, count);
    random_seed(&displacing->random, 1);
    displacing->on_demand = on_demand(solver);
    marginal_order(solver, orders);
    find_joined(solver, joined);
    for (uint32_t i = 0; i < count; i++) {
        displacing->freedom[i] = (uint8_t)orders[i].freedom;
        displacing->size[i] = orders[i].size;
        displacing->follows[i] = class_follows(&solver->classes.classes.items[i], joined);
    }
    arena_free(&scratch);
}

// --- pods

void displaced_take(Displacing *displacing, Change *change, uint32_t number) {
    const Solver *solver = displacing->solver;
    const Bin *bin = &solver->bins.items[number];

    while (bin->pods.count) {
        BinPods pods = *vec_last(&bin->pods);

        vec_push(displacing->arena, &displacing->pods,
                 (Displaced){.class = pods.class, .variant = pods.variant, .count = pods.count});
        change_take(change, number, bin->pods.count - 1, pods.count);
    }
}

void displaced_add_left_over(Displacing *displacing) {
    enum { FEW = 4 }; // classes at a time: most pods without a place cannot be placed at all
    const ClassTable *classes = &displacing->solver->classes;
    DisplacedVec *pods = &displacing->pods;
    uint32_t *missing = arena_array(displacing->arena, uint32_t, classes->classes.count), left_over = 0;
    uint32_t start = random_below(&displacing->random, classes->classes.count);

    for (uint32_t i = 0; i < classes->classes.count; i++)
        missing[i] = classes->classes.items[i].count - classes->classes.items[i].placed;
    for (vec_each(const Displaced, taken, pods))
        missing[taken->class] -= taken->count;
    for (uint32_t i = 0; i < classes->classes.count && left_over < FEW; i++) {
        uint32_t class = (start + i) % classes->classes.count;

        if (!missing[class])
            continue;
        left_over++;
        vec_push(displacing->arena, pods, (Displaced){.class = class, .variant = INDEX_NONE, .count = missing[class]});
    }
}

// --- order

static double random_share(Displacing *displacing) {
    return random_below(&displacing->random, 1 << 16) / (double)(1 << 16);
}

typedef enum { ORDER_FREEDOM, ORDER_SIZE, ORDER_ANY, ORDER_COUNT } OrderKind;

static double rank_of(Displacing *displacing, const Displaced *pods, OrderKind kind) {
    double disorder = 0.75 + 0.5 * random_share(displacing), rank = displacing->follows[pods->class] ? 1e12 : 0;

    switch (kind) {
    case ORDER_FREEDOM:
        return rank + 1e6 * displacing->freedom[pods->class] - disorder * displacing->size[pods->class];
    case ORDER_SIZE:
        return rank - disorder * displacing->size[pods->class];
    default:
        return rank + disorder;
    }
}

static int compare_ranks(const void *a, const void *b) {
    const Displaced *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->class != y->class ? (x->class > y->class) - (x->class < y->class) : 0;
}

// Splits each entry of several pods in two, so that pods of other classes can be placed between them.
static void split(Displacing *displacing) {
    uint32_t count = displacing->pods.count;

    for (uint32_t i = 0; i < count; i++) {
        Displaced *pods = &displacing->pods.items[i], part = *pods;

        if (pods->count < 2)
            continue;
        part.count = 1 + random_below(&displacing->random, pods->count - 1);
        pods->count -= part.count;
        vec_push(displacing->arena, &displacing->pods, part);
    }
}

static void put_in_order(Displacing *displacing) {
    OrderKind kind = (OrderKind)random_below(&displacing->random, ORDER_COUNT);

    if (random_below(&displacing->random, 2))
        split(displacing);
    for (vec_each(Displaced, pods, &displacing->pods))
        pods->rank = rank_of(displacing, pods, kind);
    if (displacing->pods.count)
        qsort(displacing->pods.items, displacing->pods.count, sizeof(Displaced), compare_ranks);
}

// --- placing

static uint32_t move(Displacing *displacing, Displaced *pods, uint32_t variant) {
    // Existing claims of every pool are allowed; new claims are opened in the heaviest pool that can.
    uint32_t placed = 1, before = pods->count;

    while (pods->count && placed) {
        placed = marginal_move(displacing->solver, pods->class, variant, pods->count, &MOVE_ANYWHERE);
        pods->count -= placed;
    }
    return before - pods->count;
}

// Places pods under variants that give up no more preferences than the one they were placed under. Alternative terms
// are tried in turn, from a random one on.
static bool place_some(Displacing *displacing, Displaced *pods) {
    const PodClass *class = &displacing->solver->classes.classes.items[pods->class];
    uint32_t level = pods->variant == INDEX_NONE ? UINT32_MAX : variant_level(class, pods->variant), placed = 0;
    uint32_t turn = random_below(&displacing->random, 64);

    for (uint32_t at = 0; at < class->variants.count && pods->count; at++) {
        uint32_t variant = variant_in_turn(class, at, turn);

        if (variant_level(class, variant) <= level)
            placed += move(displacing, pods, variant);
    }
    return placed > 0;
}

// One pass over all displaced pods. Returns whether another pass may place more.
static bool place_pass(Displacing *displacing, Change *change, double most) {
    bool progress = false;

    for (vec_each(Displaced, pods, &displacing->pods)) {
        if (!pods->count || !place_some(displacing, pods))
            continue;
        if (change_cost(change) >= most)
            return false;
        progress = true;
    }
    return progress;
}

// Opens claims for one to three single pods. What follows may join them: a claim that by price per pod would not be
// opened first can be the better one to begin with, and in a lighter pool it needs the pod that has no heavier one.
enum { OPENING_FIRST = 3 }; // one trial of so many

static void open_some(Displacing *displacing) {
    uint32_t claims = 1 + random_below(&displacing->random, 3);

    for (uint32_t i = 0; i < claims && displacing->pods.count; i++) {
        Displaced *pods = &displacing->pods.items[random_below(&displacing->random, displacing->pods.count)];
        uint32_t variant = pods->variant == INDEX_NONE ? 0 : pods->variant;

        if (pods->count && !displacing->follows[pods->class])
            pods->count -= marginal_open(displacing->solver, pods->class, variant);
    }
}

void displaced_place(Displacing *displacing, Change *change, double most) {
    static const float disorders[] = {0, 0, 0.1F, 0.4F, 1};
    Solver *solver = displacing->solver;
    uint32_t attempt = solver->attempt;

    put_in_order(displacing);
    solver->opening = random_below(&displacing->random, 4) ? LABEL_SET_EMPTY : displacing->on_demand;
    solver->attempt = random_below(&displacing->random, 8); // breaks ties of domains and reservations differently
    solver->uneven = random_below(&displacing->random, 2);
    solver->disorder = disorders[random_below(&displacing->random, sizeof disorders / sizeof *disorders)];
    if (!random_below(&displacing->random, OPENING_FIRST))
        open_some(displacing);
    while (place_pass(displacing, change, most))
        continue;
    solver->disorder = 0;
    solver->uneven = false;
    solver->opening = LABEL_SET_EMPTY;
    solver->attempt = attempt;
}
