// There are two kinds of changes. *Squeeze*: a few pods are moved out of a claim that would be launched as a cheaper
// type without them, to places that cost less than that saves. *Rebuild* (place/rebuild.h): some bins are emptied and
// their pods placed again.
//
// Only pods are squeezed out that no other pod relies on: pods without host ports and shared volumes that no affinity
// rule counts. Pods that a spread counts per zone (or another label) are moved only within their domain, so that its
// counts do not change. During the changes, limits are charged with the types that claims are expected to become; at
// the end they are settled (claims_settle_limits).
#include "sched/place/improve.h"

#include "sched/bin/claim_price.h"
#include "sched/bin/home_pool.h"
#include "sched/bin/limits.h"
#include "sched/place/marginal.h"
#include "sched/place/marginal_state.h"
#include "sched/place/neighbours.h"

#include <math.h>

typedef enum { FIXED, COUNTED, FREE } Mobility; // COUNTED: may move within its domains

enum {
    SQUEEZE_MOST = 4,
    PATIENCE = 1000,
    PATIENCE_ATTEMPT = 60,
    TRIAL_STEPS = BUDGET_STEPS_PER_US
}; // steps of a trial, without those of bin_try

typedef struct {
    Solver *solver;
    Effort effort;
    bool endless;
    Change change;
    uint8_t *mobility;                // Mobility, per class
    const int32_t *home_weight;       // per class (bin/home_pool.h); NULL: all pools have the same weight
    int64_t *used;                    // per dimension: work space
    U32Vec open;                      // claims that squeezes may change
    uint32_t trials;                  // that are left
    uint32_t patience, patience_most; // squeezes that may still, and at most, fail one after another
} Improver;

// --- pods and bins that may change

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

// Whether squeezes may change the bin. Not if a heavier pool could have served one of its pods: such pods are there
// because some other pod needed the lighter pool, and if that pod left, nothing would justify the claim.
static bool bin_may_change(const Improver *improver, const Bin *bin) {
    if (!bin->pool || !bin->pods.count || (bin->pool->limited && bin->pool->charge_largest) || bin->undecided.count ||
        bin->decided || bin->reservation || bin->min_values || bin->claims.count)
        return false;
    for (vec_each(const BinPods, pods, &bin->pods)) {
        if (improver->home_weight && improver->home_weight[pods->class] != bin->pool->pool->weight)
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

static bool out_of_steps(const Improver *improver) {
    return improver->trials == 0 || improver->patience == 0 || budget_is_over(&improver->solver->budget);
}

static void count_trial(Improver *improver, bool gained) {
    improver->trials -= improver->trials > 0;
    improver->patience = gained ? improver->patience_most : improver->patience - (improver->patience > 0);
    budget_spend(&improver->solver->budget, TRIAL_STEPS);
}

// Keeps the change if all pods were placed and the price fell, else undoes it. Returns whether it was kept.
static bool settle_change(Improver *improver, bool placed) {
    bool gains = placed && change_cost(&improver->change) < -1e-9 && change_holds(&improver->change);

    count_trial(improver, gains);
    if (gains)
        change_keep(&improver->change);
    else
        change_undo(&improver->change);
    return gains;
}

// --- squeeze

// The price of the claim if its pods needed `used`, $ per hour; INFINITY: no type is large enough.
static double price_of_load(const Solver *solver, const LaunchOrder *launch_order, const Bin *bin,
                            const int64_t *used) {
    const Room *room = bin->pool->room;

    for (uint32_t step = 0; step < launch_order->step_count; step++) {
        const LaunchOption *launch = launch_at_step(launch_order, step);
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

// --- rebuild

// Limits of the rebuilding: steps of the budget, and successive trials without a gain. Further attempts (search.c) have
// lower limits, since there are many.
typedef struct {
    uint64_t steps;
    uint32_t patience;
} Endurance;

static Endurance endurance(const Improver *improver) {
    const Endurance attempt = {200 * BUDGET_STEPS_PER_US, 40}, normal = {8000 * BUDGET_STEPS_PER_US, 400};

    if (improver->endless)
        return (Endurance){UINT64_MAX, UINT32_MAX};
    if (improver->solver->attempt)
        return attempt;
    return improver->effort == EFFORT_BEST ? (Endurance){normal.steps * 16, normal.patience * 16} : normal;
}

static void rebuild_some(Improver *improver) {
    Solver *solver = improver->solver;
    Endurance left = endurance(improver);
    uint32_t patience = left.patience;
    Rebuild rebuild;
    Neighbours neighbours;
    U32Vec bins = {0};

    rebuild_init(&rebuild, solver, improver->home_weight);
    neighbours_init(&neighbours, &rebuild);
    budget_begin_part(&solver->budget, left.steps);
    while (patience && neighbours.open.count && budget_spend(&solver->budget, TRIAL_STEPS)) {
        patience--;
        if (!neighbours_choose(&neighbours, &bins) || !rebuild_try(&rebuild, &bins))
            continue;
        patience = left.patience;
        neighbours_renew(&neighbours);
    }
    budget_end_part(&solver->budget);
    rebuild_free(&rebuild);
}

// --- all changes

// Sets the number of trials by effort and number of claims, at most `most` (for EFFORT_BEST 64 times all of them).
// Squeezes of large plans that have failed so often fail on: each costs a look at all claims.
static void set_trials(Improver *improver, uint32_t per_claim, uint32_t most) {
    uint64_t trials = 64 + (uint64_t)improver->open.count * per_claim;

    improver->patience_most = improver->solver->attempt ? PATIENCE_ATTEMPT : PATIENCE;
    if (improver->effort == EFFORT_BEST) {
        trials *= 64;
        most *= 64;
        improver->patience_most *= 64;
    }
    if (improver->endless)
        improver->patience_most = UINT32_MAX;
    improver->patience = improver->patience_most;
    improver->trials = improver->endless ? UINT32_MAX : (uint32_t)(trials < most ? trials : most);
}

void solver_improve(Solver *solver, Effort effort, bool endless) {
    Improver improver = {.solver = solver, .effort = effort, .endless = endless};
    uint32_t classes = solver->classes.classes.count;

    improver.mobility = arena_array(solver->arena, uint8_t, classes);
    improver.used = arena_array(solver->arena, int64_t, solver->classes.dimensions.count);
    improver.home_weight = class_home_weights(solver, solver->arena);
    for (uint32_t i = 0; i < classes; i++)
        improver.mobility[i] = (uint8_t)class_mobility(solver, &solver->classes.classes.items[i]);
    claims_loosen_limits(solver);
    marginal_renew(solver);
    find_open_bins(&improver);
    set_trials(&improver, 6, 20000);
    while (squeeze_all(&improver) && !out_of_steps(&improver))
        continue;
    rebuild_some(&improver);
    find_open_bins(&improver);
    set_trials(&improver, 2, 10000);
    squeeze_all(&improver);
    change_free(&improver.change);
    if (claims_settle_limits(solver))
        marginal_drop(solver);
}
