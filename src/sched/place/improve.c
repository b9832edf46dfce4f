// Two kinds of change. *Squeeze*: a few pods leave a claim that would be launched as a cheaper type without them, for
// room elsewhere that costs less. *Repack*: one to three claims are emptied and their pods placed anew, largest first
// with some disorder, by marginal price: what comes out covers merging, splitting, swapping and other types.
//
// Only pods move whose place nobody else relies on: those without host ports and shared volumes, and not counted by an
// affinity rule. Pods that a spread counts per zone (or another label) are squeezed only within their domain, so that
// its counts do not change; after a repack that moved such pods, the spread must still hold for all it counts. Claims
// of pools whose limits were nearly reached are left alone, and those with lowered minValues.
#include "sched/place/improve.h"

#include "base/random.h"
#include "sched/bin/claim_price.h"
#include "sched/bin/home_pool.h"
#include "sched/place/change.h"
#include "sched/place/marginal.h"
#include "sched/place/marginal_state.h"

#include <math.h>
#include <stdlib.h>

typedef enum { FIXED, COUNTED, FREE } Mobility;

enum { TAKEN_MAX = 64, SQUEEZE_MOST = 4, TRIAL_STEPS = BUDGET_STEPS_PER_US }; // a trial's own; verdicts count theirs

typedef struct {
    uint32_t class, variant, count;
    int32_t weight; // of their NodePool
    double size;
} Taken;

typedef struct {
    Solver *solver;
    Effort effort;
    bool endless;
    Change change;
    Random random;
    uint8_t *mobility;    // Mobility, per class
    int32_t *home_weight; // per class
    int64_t *used;        // per dimension
    U32Vec open;          // bins that may change
    uint32_t trials;      // left
} Improver;

// --- what may move

static Mobility class_mobility(const Solver *solver, const PodClass *class) {
    const U32Vec *lists[] = {&class->counted, &class->inverse};
    Mobility mobility = FREE;

    if (class->ports || class->shared_claims.count)
        return FIXED;
    for (int i = 0; i < 2; i++) {
        for (vec_each(uint32_t, number, lists[i])) {
            const TopologyGroup *group = &solver->topology.groups.items[*number];

            if (group->kind == GROUP_AFFINITY)
                return FIXED;
            if (group->kind == GROUP_SPREAD && (group->key != INDEX_NONE || group->filter != INDEX_NONE))
                mobility = COUNTED;
        }
    }
    return mobility;
}

// Pods that a heavier pool would have served had nobody opened a claim of a lighter one stay with whoever did: were
// that pod to leave, the claim would have no reason to be there.
static bool bin_may_change(const Improver *improver, const Bin *bin) {
    if (!bin->pool || !bin->pods.count || (bin->pool->limited && bin->pool->charge_largest) || bin->undecided.count ||
        bin->decided || bin->reservation || bin->min_values || bin->claims.count)
        return false;
    for (vec_each(const BinPods, pods, &bin->pods)) {
        if (improver->home_weight[pods->class] != bin->pool->pool->weight)
            return false;
    }
    return true;
}

static void find_open_bins(Improver *improver) {
    const Solver *solver = improver->solver;

    improver->open.count = 0;
    for (uint32_t i = solver->node_count; i < solver->bins.count; i++) {
        if (bin_may_change(improver, &solver->bins.items[i]))
            vec_push(solver->arena, &improver->open, i);
    }
}

static bool has_ports(const Solver *solver, const Bin *bin) {
    return bin->ports && !bitset_is_empty(bin->ports, solver->classes.port_words);
}

static bool out_of_steps(const Improver *improver) {
    return improver->trials == 0 || budget_is_over(&improver->solver->budget);
}

static void count_trial(Improver *improver) {
    improver->trials -= improver->trials > 0;
    budget_spend(&improver->solver->budget, TRIAL_STEPS);
}

// Keeps the change when all was placed and the price fell; whether it was kept.
static bool settle_change(Improver *improver, bool placed) {
    count_trial(improver);
    if (placed && change_cost(&improver->change) < -1e-9) {
        change_keep(&improver->change);
        return true;
    }
    change_undo(&improver->change);
    return false;
}

// --- squeeze

// What the claim would cost with that load.
static double price_of_load(const Solver *solver, const LaunchOrder *launch_order, const Bin *bin,
                            const int64_t *used) {
    const Room *room = bin->pool->room;

    for (uint32_t step = 0; step < launch_order->step_count; step++) {
        const LaunchOption *launch = &launch_order->launches[launch_order->steps[step]];
        const int64_t *free = room->free + (size_t)launch->row * room->dims;
        uint32_t dim = 0;

        while (dim < solver->classes.dimensions.count && used[dim] <= free[dim])
            dim++;
        if (dim == solver->classes.dimensions.count)
            return launch->price;
    }
    return INFINITY;
}

static bool squeeze_pods(Improver *improver, uint32_t number, uint32_t index) {
    Solver *solver = improver->solver;
    const Bin *bin = &solver->bins.items[number];
    const LaunchOrder *launch_order = claim_launch_order(solver, bin->pool, bin->state);
    BinPods pods = bin->pods.items[index];
    const PodClass *class = &solver->classes.classes.items[pods.class];
    double price = claim_price(solver, bin, bin->rows, NULL, NULL);

    for (uint32_t count = 1; count <= pods.count && count <= SQUEEZE_MOST; count++) {
        double gain;
        uint32_t placed;

        for (uint32_t dim = 0; dim < solver->classes.dimensions.count; dim++)
            improver->used[dim] = bin->used[dim] - class->requests[dim] * count;
        gain = price - price_of_load(solver, launch_order, bin, improver->used);
        if (gain < 1e-9)
            continue;
        change_begin(&improver->change, solver);
        change_take(&improver->change, number, index, count);
        placed = marginal_move(solver, pods.class, pods.variant, count,
                               &(MoveRules){number, bin->state, bin->pool->pool->weight, (float)gain * 0.999F});
        return settle_change(improver, placed == count);
    }
    return false;
}

static bool squeeze_bin(Improver *improver, uint32_t number) {
    const Bin *bin = &improver->solver->bins.items[number];

    for (uint32_t index = 0; index < bin->pods.count && !out_of_steps(improver); index++) {
        if (improver->mobility[bin->pods.items[index].class] == FIXED)
            continue;
        if (squeeze_pods(improver, number, index))
            return true;
    }
    return false;
}

static bool squeeze_all(Improver *improver) {
    bool any = false;

    for (uint32_t i = 0; i < improver->open.count; i++) {
        uint32_t number = improver->open.items[i];

        while (bin_may_change(improver, &improver->solver->bins.items[number]) && squeeze_bin(improver, number))
            any = true;
    }
    return any;
}

// --- repack

static bool may_repack(const Improver *improver, uint32_t number) {
    const Solver *solver = improver->solver;
    const Bin *bin = &solver->bins.items[number];

    if (!bin_may_change(improver, bin) || has_ports(solver, bin) || bin->pods.count > TAKEN_MAX / 3)
        return false;
    for (vec_each(const BinPods, pods, &bin->pods)) {
        if (improver->mobility[pods->class] == FIXED)
            return false;
    }
    return true;
}

static int compare_taken(const void *a, const void *b) {
    const Taken *x = a, *y = b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->class > y->class) - (x->class < y->class);
}

// Empties a claim into `taken`.
static uint32_t take_all(Improver *improver, uint32_t number, Taken *taken, uint32_t count) {
    Solver *solver = improver->solver;
    const Bin *bin = &solver->bins.items[number];

    while (bin->pods.count) {
        BinPods pods = *vec_last(&bin->pods);
        double disorder = 0.75 + 0.5 * random_below(&improver->random, 1000) / 1000.0;

        taken[count++] = (Taken){pods.class, pods.variant, pods.count, bin->pool->pool->weight,
                                 disorder * marginal_size(solver, &solver->classes.classes.items[pods.class])};
        change_take(&improver->change, number, bin->pods.count - 1, pods.count);
    }
    return count;
}

static bool place_taken(Solver *solver, const Taken *taken) {
    const MoveRules rules = {INDEX_NONE, LABEL_STATE_NONE, taken->weight, INFINITY};
    uint32_t left = taken->count, placed = 1;

    while (left && placed) {
        placed = marginal_move(solver, taken->class, taken->variant, left, &rules);
        left -= placed;
    }
    return left == 0;
}

// Whether every spread that counts the class holds for whoever may rely on it: leaving a domain lowers the least count.
static bool spreads_hold(const Solver *solver, const PodClass *class) {
    for (vec_each(uint32_t, number, &class->counted)) {
        const TopologyGroup *group = &solver->topology.groups.items[*number];

        if (group->kind == GROUP_SPREAD && group->key != INDEX_NONE && !topology_spread_holds(group))
            return false;
    }
    return true;
}

static bool repack(Improver *improver, const uint32_t *numbers, uint32_t count) {
    Taken taken[TAKEN_MAX];
    uint32_t taken_count = 0;
    bool placed = true;

    change_begin(&improver->change, improver->solver);
    for (uint32_t i = 0; i < count; i++)
        taken_count = take_all(improver, numbers[i], taken, taken_count);
    qsort(taken, taken_count, sizeof *taken, compare_taken);
    for (uint32_t i = 0; i < taken_count && placed; i++)
        placed = place_taken(improver->solver, &taken[i]);
    for (uint32_t i = 0; i < taken_count && placed; i++)
        placed = spreads_hold(improver->solver, &improver->solver->classes.classes.items[taken[i].class]);
    return settle_change(improver, placed);
}

// Another claim to repack with the first: of the same pool where there is a choice.
static uint32_t pick_partner(Improver *improver, const uint32_t *numbers, uint32_t count) {
    for (int attempt = 0; attempt < 8; attempt++) {
        uint32_t number = improver->open.items[random_below(&improver->random, improver->open.count)];
        bool taken = false;

        for (uint32_t i = 0; i < count; i++)
            taken |= numbers[i] == number;
        if (!taken && may_repack(improver, number) &&
            improver->solver->bins.items[number].pool == improver->solver->bins.items[numbers[0]].pool)
            return number;
    }
    return INDEX_NONE;
}

// Ends early when nothing has been gained for long.
static void repack_some(Improver *improver) {
    uint32_t patience = 400, failures = 0;

    if (improver->effort == EFFORT_BEST)
        patience = UINT32_MAX;
    for (uint32_t i = 0; !out_of_steps(improver) && improver->open.count && failures < patience; i++, failures++) {
        uint32_t numbers[3], count = 1, wanted = 1 + i % 3;

        numbers[0] = improver->open.items[random_below(&improver->random, improver->open.count)];
        if (!may_repack(improver, numbers[0])) {
            count_trial(improver);
            continue;
        }
        while (count < wanted && (numbers[count] = pick_partner(improver, numbers, count)) != INDEX_NONE)
            count++;
        if (!repack(improver, numbers, count))
            continue;
        failures = 0;
        find_open_bins(improver);
    }
}

// --- all together

// Steps by effort. They grow with the claims, so that a small plan is searched well and a large one in time.
static void set_trials(Improver *improver, uint32_t per_claim, uint32_t most) {
    uint64_t trials = 64 + (uint64_t)improver->open.count * per_claim;

    if (improver->effort == EFFORT_BEST) {
        trials *= 64;
        most *= 64;
    }
    improver->trials = improver->endless ? UINT32_MAX : (uint32_t)(trials < most ? trials : most);
}

void solver_improve(Solver *solver, Effort effort, bool endless) {
    Improver improver = {.solver = solver, .effort = effort, .endless = endless};
    uint32_t classes = solver->classes.classes.count;

    if (solver->domains_settled)
        return; // a repack might open a node in a domain that a spread no longer counts
    random_seed(&improver.random, 1);
    improver.mobility = arena_array(solver->arena, uint8_t, classes);
    improver.used = arena_array(solver->arena, int64_t, solver->classes.dimensions.count);
    improver.home_weight = arena_array(solver->arena, int32_t, classes);
    for (uint32_t i = 0; i < classes; i++) {
        improver.mobility[i] = (uint8_t)class_mobility(solver, &solver->classes.classes.items[i]);
        improver.home_weight[i] = class_home_weight(solver, &solver->classes.classes.items[i]);
    }
    marginal_renew(solver);
    find_open_bins(&improver);
    set_trials(&improver, 6, 20000);
    while (squeeze_all(&improver) && !out_of_steps(&improver))
        continue;
    set_trials(&improver, 24, 4000);
    repack_some(&improver);
    set_trials(&improver, 2, 10000);
    squeeze_all(&improver);
    change_free(&improver.change);
}
