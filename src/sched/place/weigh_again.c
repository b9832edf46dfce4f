// Each change toggles one rule of one class: its pods are taken away and placed again with or without the rule, while
// all other pods stay. This measures the price of the rule in the solution, and restores rules that were left out
// because nodes were still empty when the pods were placed.
//
// Pods are not moved if others have affinity to them.
#include "sched/place/weigh_again.h"

#include "sched/bin/home_pool.h"
#include "sched/bin/limits.h"
#include "sched/bin/pod_rate.h"
#include "sched/input/class_variants.h"
#include "sched/place/marginal.h"
#include "sched/place/marginal_state.h"
#include "sched/place/outweighed.h"
#include "sched/place/rebuild.h"

#include <math.h>

enum {
    BINS_MOST = 16,
    PASSES = 3,
    BIN_STEPS = BUDGET_STEPS_PER_US / 50, // of the budget: checking one entry of a bin
};

typedef struct {
    Solver *solver;
    Outweighed *outweighed;
    PodClass *class;
    uint32_t number;
    uint32_t bit;
    bool add; // the rule is added to pods without it; else dropped from pods that keep it
    Arena arena;
    U32Vec bins;     // that have such pods
    BinPodsVec pods; // taken from them
    Change change;
} Toggle;

// --- pods that may be moved

// Whether an affinity rule of another class, or a required one of its own, counts pods of the class.
static bool has_dependents(Solver *solver, const PodClass *class) {
    for (vec_each(const uint32_t, number, &class->counted)) {
        if (solver->topology.groups.items[*number].kind != GROUP_AFFINITY)
            continue;
        budget_spend(&solver->budget, BIN_STEPS * (uint64_t)solver->classes.classes.count);
        for (vec_each(const PodClass, other, &solver->classes.classes)) {
            const Variant *variant = other == class ? class_last_variant(class) : class_variant(other, 0);

            if (u32_vec_has(&variant->groups, *number))
                return true;
        }
    }
    return false;
}

static bool is_toggled(const Toggle *toggle, const BinPods *pods) {
    return pods->class == toggle->number &&
           !(toggle->class->variants.items[pods->variant].kept & toggle->bit) == toggle->add;
}

static bool has_toggled(const Toggle *toggle, const Bin *bin) {
    for (vec_each(const BinPods, pods, &bin->pods)) {
        if (is_toggled(toggle, pods))
            return true;
    }
    return false;
}

static void find_bins(Toggle *toggle) {
    toggle->bins.count = 0;
    for (vec_each(const Bin, bin, &toggle->solver->bins)) {
        if (toggle->bins.count == BINS_MOST ||
            !budget_spend(&toggle->solver->budget, BIN_STEPS * (1 + bin->pods.count)))
            break;
        if (!bin->gone && has_toggled(toggle, bin) && rebuild_may_empty(bin))
            vec_push(&toggle->arena, &toggle->bins, bin->number);
    }
}

// --- toggling

static uint32_t take_pods(Toggle *toggle) {
    uint32_t count = 0;

    toggle->pods.count = 0;
    for (vec_each(const uint32_t, number, &toggle->bins)) {
        for (uint32_t i = toggle->solver->bins.items[*number].pods.count; i-- > 0;) {
            BinPods pods = toggle->solver->bins.items[*number].pods.items[i];

            if (!is_toggled(toggle, &pods))
                continue;
            vec_push(&toggle->arena, &toggle->pods, pods);
            change_take(&toggle->change, *number, i, pods.count);
            count += pods.count;
        }
    }
    return count;
}

// Places the pods again; whether all of them were placed.
static bool move(Toggle *toggle, const BinPods *pods) {
    const PodClass *class = toggle->class;
    uint32_t kept = class->variants.items[pods->variant].kept ^ toggle->bit;
    uint32_t variant = class_variant_keeping(toggle->class, kept), left = pods->count;

    while (left && variant < class->variants.count && class->variants.items[variant].kept == kept) {
        uint32_t placed = marginal_move(toggle->solver, toggle->number, variant, left, &MOVE_ANYWHERE);

        left -= placed;
        if (!placed)
            variant += variant_alternatives(class, variant).count;
    }
    return !left;
}

static bool move_all(Toggle *toggle) {
    for (vec_each(const BinPods, pods, &toggle->pods)) {
        if (!move(toggle, pods))
            return false;
    }
    return true;
}

// The price of the rule, $ per hour and pod; NAN: not known. `ret_better`: the change was an improvement and was kept.
static double try_toggle(Toggle *toggle, bool *ret_better) {
    double worth = toggle->class->rate * preferred_rules_worth(&toggle->class->preferred, toggle->bit), cost;
    uint32_t count;
    bool placed;

    change_begin(&toggle->change, toggle->solver);
    count = take_pods(toggle);
    placed = move_all(toggle);
    cost = placed && change_holds(&toggle->change) ? change_cost(&toggle->change) / count : NAN;
    *ret_better = cost < -1e-9 && outweighed_holds(toggle->outweighed);
    if (*ret_better)
        change_keep(&toggle->change);
    else
        change_undo(&toggle->change);
    if (!placed)
        return toggle->add ? INFINITY : NAN;
    if (!isfinite(cost) || (cost < -1e-9 && !*ret_better)) // rejected for another reason than the price
        return NAN;
    return toggle->add ? cost + worth : worth - cost;
}

// Whether the solution changed.
static bool toggle_rule(Toggle *toggle, RulePrice *price) {
    double *found = toggle->add ? &price->add : &price->drop;
    bool better = false;

    find_bins(toggle);
    if (!toggle->bins.count || budget_is_over(&toggle->solver->budget))
        return false;
    *found = try_toggle(toggle, &better);
    if (budget_is_over(&toggle->solver->budget))
        *found = NAN;
    return better;
}

static bool toggle_rules(Outweighed *outweighed, uint32_t number) {
    Solver *solver = outweighed->solver;
    PodClass *class = &solver->classes.classes.items[number];
    Toggle toggle = {.solver = solver, .outweighed = outweighed, .class = class, .number = number};
    bool any = false;

    for (uint32_t rule = 0; rule < class->preferred.count && rule < RULE_BITS; rule++) {
        toggle.bit = preferred_rule_bit(rule);
        class->prices[rule] = (RulePrice){NAN, NAN};
        for (int i = 0; i < 2; i++) {
            toggle.add = !i;
            any |= toggle_rule(&toggle, &class->prices[rule]);
        }
    }
    change_free(&toggle.change);
    arena_free(&toggle.arena);
    return any;
}

// Whether the solution changed.
static bool toggle_classes(Outweighed *outweighed) {
    Solver *solver = outweighed->solver;
    bool any = false;

    for (uint32_t i = 0; i < solver->classes.classes.count && !budget_is_over(&solver->budget); i++) {
        PodClass *class = &solver->classes.classes.items[i];

        if (class->weighed && class->placed && !has_dependents(solver, class))
            any |= toggle_rules(outweighed, i);
    }
    return any;
}

static bool prepare_prices(Solver *solver) {
    bool any = false;

    for (vec_each(PodClass, class, &solver->classes.classes)) {
        any |= class->weighed;
        if (class->weighed)
            class->prices = arena_array(solver->arena, RulePrice, RULE_BITS);
    }
    weigh_forget_prices(solver);
    return any;
}

void weigh_forget_prices(Solver *solver) {
    for (vec_each(PodClass, class, &solver->classes.classes)) {
        for (uint32_t i = 0; i < RULE_BITS && class->prices; i++)
            class->prices[i] = (RulePrice){NAN, NAN};
    }
}

bool weigh_again(Solver *solver) {
    Outweighed outweighed;

    if (!prepare_prices(solver))
        return true;
    claims_loosen_limits(solver);
    marginal_renew(solver);
    outweighed_init(&outweighed, solver, class_home_weights(solver, solver->arena));
    for (int pass = 0; pass < PASSES && toggle_classes(&outweighed); pass++)
        continue;
    if (claims_settle_limits(solver))
        marginal_drop(solver);
    return !budget_is_over(&solver->budget);
}
