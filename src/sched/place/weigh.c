// Rules are chosen anew for each step of placing: free room, or one claim that grows or opens. So the first pods of a
// class may keep rules that are too expensive for later ones.
//
// When a claim is opened for a pod, its whole price is charged to that pod, although other pods will share it later.
// So the worth of a rule is taken of the price of the step without the rule, if that is more than the pod's rate.
// place/weigh_again.h corrects the choices when all pods are placed.
#include "sched/place/weigh.h"

#include "sched/bin/pod_rate.h"
#include "sched/input/class_variants.h"
#include "sched/place/by_strategy.h"
#include "sched/place/change.h"

#include <math.h>

static const double EQUAL = 1e-9; // dollars per hour

typedef struct {
    Solver *solver;
    PodClass *class;
    uint32_t number;
    Change change;
} Weighing;

// The price of the next step with a set of rules, $ per hour and pod.
typedef struct {
    uint32_t kept;
    double price; // INFINITY: no pod can be placed
    double total; // price plus worth of the rules that are left out
} Quote;

// Places pods with the variants of the same rules as `first`, one per required term.
static uint32_t place_keeping(Weighing *weighing, uint32_t first) {
    Solver *solver = weighing->solver;
    const PodClass *class = weighing->class;
    uint32_t kept = class->variants.items[first].kept, placed = 0;
    bool later = false;

    for (uint32_t variant = first; variant < class->variants.count && !placed && !budget_is_over(&solver->budget);
         variant += variant_alternatives(class, variant).count) {
        if (class->variants.items[variant].kept != kept)
            break;
        placed = place_by_strategy(solver, weighing->number, variant, class->count - class->placed, &later);
    }
    return placed;
}

// Places the next step with these rules in a change, which stays open.
static Quote begin_step(Weighing *weighing, uint32_t kept, uint32_t *ret_placed) {
    PodClass *class = weighing->class;
    uint32_t variant = class_variant_keeping(class, kept);
    Quote quote = {kept, INFINITY, INFINITY};

    change_begin(&weighing->change, weighing->solver);
    *ret_placed = place_keeping(weighing, variant);
    if (*ret_placed) {
        quote.total = change_cost(&weighing->change) / *ret_placed;
        quote.price = quote.total - variant_forgone(class, variant);
    }
    return quote;
}

static void undo_step(Weighing *weighing) {
    change_undo(&weighing->change);
    weighing->solver->emptiest = (U32Vec){0}; // its memory was freed
}

// The price of the next step with these rules, by placing it and undoing that.
static Quote quote(Weighing *weighing, uint32_t kept) {
    Random random = weighing->solver->random;
    uint32_t placed;
    Quote quote = begin_step(weighing, kept, &placed);

    undo_step(weighing);
    weighing->solver->random = random;
    return quote;
}

// Adds, to no rules, each rule that costs no more than its worth.
static Quote add_rules(Weighing *weighing, Quote none, const Quote *all) {
    const PodClass *class = weighing->class;
    Quote chosen = none;

    for (uint32_t bit = 1; bit <= all->kept && !budget_is_over(&weighing->solver->budget); bit <<= 1) {
        double worth = preferred_rules_worth(&class->preferred, bit) * fmax(class->rate, chosen.price);
        Quote with = (chosen.kept | bit) == all->kept ? *all : quote(weighing, chosen.kept | bit);

        if (with.price <= chosen.price + worth + EQUAL)
            chosen = with;
    }
    return chosen;
}

// Chooses the rules for the next step. `ret_none`: the price without any rule, 0 if all rules can be kept in free room.
static Quote choose(Weighing *weighing, Quote *ret_none) {
    Quote all = quote(weighing, preferred_rules_all(&weighing->class->preferred)), chosen;

    *ret_none = (Quote){0, 0, 0};
    if (all.price <= EQUAL)
        return all;
    *ret_none = quote(weighing, 0);
    if (all.price <= ret_none->price + EQUAL)
        return all;
    chosen = add_rules(weighing, *ret_none, &all);
    return chosen.total < all.total ? chosen : all;
}

// Places further steps with the same rules, while their price and that without any rule stay the same. Saves choosing
// anew for each step of large classes.
static uint32_t take_more(Weighing *weighing, const Quote *chosen, const Quote *none) {
    const PodClass *class = weighing->class;
    uint32_t placed = 0, more = 1;

    while (more && class->placed < class->count && !budget_is_over(&weighing->solver->budget)) {
        if (chosen->kept && none->price > EQUAL && quote(weighing, 0).price < none->price - EQUAL)
            break;
        if (begin_step(weighing, chosen->kept, &more).price > chosen->price + EQUAL) {
            undo_step(weighing);
            break;
        }
        change_keep(&weighing->change);
        placed += more;
    }
    return placed;
}

static uint32_t place_weighed(Weighing *weighing) {
    Quote none, chosen = choose(weighing, &none);
    uint32_t placed = place_keeping(weighing, class_variant_keeping(weighing->class, chosen.kept));

    if (placed)
        return placed + take_more(weighing, &chosen, &none);
    return chosen.kept ? place_keeping(weighing, class_variant_keeping(weighing->class, 0)) : 0;
}

uint32_t weigh_place(Solver *solver, uint32_t number) {
    Weighing weighing = {.solver = solver, .class = &solver->classes.classes.items[number], .number = number};
    uint32_t placed;

    if (solver->keeps_none)
        return place_keeping(&weighing, class_variant_keeping(weighing.class, 0));
    solver->stepwise = true;
    placed = place_weighed(&weighing);
    solver->stepwise = false;
    change_free(&weighing.change);
    return placed;
}
