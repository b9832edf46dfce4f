// Descriptions of rules, and the rules that each pod keeps. The pods of a class are assigned to bins in the same order
// as in plan_write.c.
#include "sched/plan_preferences.h"

#include "base/buffer.h"

#include <math.h>
#include <stdlib.h>

// --- descriptions of rules

static void print_expressions(Solver *solver, const ExpressionVec *expressions, Buffer *text) {
    for (uint32_t i = 0; i < expressions->count; i++) {
        Requirement requirement = requirement_make(solver->arena, solver->universe.symbols, &expressions->items[i]);
        Slice printed = requirement_print(solver->arena, solver->universe.symbols, &requirement);

        buffer_printf(text, "%s%.*s", i ? ", " : "", SLICE_ARG(printed));
    }
}

static void print_affinity(Solver *solver, const char *kind, const PodAffinityTerm *term, Buffer *text) {
    buffer_printf(text, "%s over %.*s", kind, SLICE_ARG(symbol_text(solver->universe.symbols, term->topology_key)));
    if (!term->selector || !term->selector->expressions.count)
        return;
    buffer_printf(text, ": ");
    print_expressions(solver, &term->selector->expressions, text);
}

static void print_spread(const Solver *solver, const TopologySpread *spread, Buffer *text) {
    buffer_printf(text, "spread over %.*s, max skew %d, ScheduleAnyway",
                  SLICE_ARG(symbol_text(solver->universe.symbols, spread->topology_key)), (int)spread->max_skew);
}

static void print_rule(Solver *solver, const PodClass *class, const PreferredRule *rule, Buffer *text) {
    const PodSpec *spec = class->pod->spec;
    const TopologySpreadVec *spreads = class_table_spreads(&solver->classes, solver->classes.pods[class->first]);

    switch (rule->kind) {
    case RULE_NODE_AFFINITY:
        buffer_printf(text, "node affinity: ");
        print_expressions(solver, &spec->preferred_node_terms.items[rule->index].expressions, text);
        break;
    case RULE_POD_AFFINITY:
        print_affinity(solver, "pod affinity", &spec->affinity.preferred.items[rule->index], text);
        break;
    case RULE_POD_ANTI_AFFINITY:
        print_affinity(solver, "pod anti-affinity", &spec->anti_affinity.preferred.items[rule->index], text);
        break;
    case RULE_SPREAD:
        print_spread(solver, &spreads->items[rule->index], text);
        break;
    case RULE_TAINTS:
        buffer_printf(text, "no taints with PreferNoSchedule");
        break;
    }
}

static Slice rule_text(Solver *solver, const PodClass *class, const PreferredRule *rule) {
    Buffer text = {0};
    Slice copy;

    print_rule(solver, class, rule, &text);
    copy = arena_printf(solver->result, "%.*s", SLICE_ARG(buffer_slice(&text)));
    buffer_free(&text);
    return copy;
}

// --- pods of classes

static void add_pods(Solver *solver, WeighedPods *weighed, const PodClass *class, const BinPods *pods) {
    uint32_t kept = class->variants.items[pods->variant].kept;

    for (uint32_t i = 0; i < pods->count; i++) {
        uint32_t next = class->first + weighed->pods.count;

        vec_push(solver->result, &weighed->pods, solver->classes.pods[next]);
        vec_push(solver->result, &weighed->kept, kept);
    }
    for (uint32_t i = 0; i < class->preferred.count; i++) {
        WeighedRule *rule = &weighed->rules.items[i];

        *(kept & rule->bit ? &rule->kept : &rule->left_out) += pods->count;
    }
}

static void add_rules(Solver *solver, WeighedPods *weighed, const PodClass *class) {
    weighed->rate = class->rate;
    for (uint32_t i = 0; i < class->preferred.count; i++) {
        const PreferredRule *rule = &class->preferred.items[i];

        vec_push(solver->result, &weighed->rules,
                 (WeighedRule){
                     .text = rule_text(solver, class, rule), .weight = rule->weight, .bit = preferred_rule_bit(i)});
    }
}

// The price of a rule in percent of the rate. Rounding errors count as 0.
static double percent_of(double dearer, double rate) {
    double percent = dearer / rate * 100;

    if (isinf(dearer))
        return INFINITY;
    return rate <= 0 ? NAN : fabs(percent) < 1e-6 ? 0 : percent;
}

static void find_prices(WeighedPods *weighed, const PodClass *class) {
    for (uint32_t i = 0; i < class->preferred.count; i++) {
        const RulePrice *price = class->prices ? &class->prices[i < RULE_BITS ? i : RULE_BITS - 1] : NULL;
        WeighedRule *rule = &weighed->rules.items[i];
        double dearer = !price ? NAN : rule->left_out ? price->add : price->drop;

        rule->dearer_percent = percent_of(dearer, class->rate);
    }
}

static int compare_first_pods(const void *a, const void *b) {
    const WeighedPods *x = a, *y = b;

    return (x->pods.items[0] > y->pods.items[0]) - (x->pods.items[0] < y->pods.items[0]);
}

// Adds the classes that have a placed pod to the plan.
static void take_up(Solver *solver, const WeighedPods *of_class, Plan *plan) {
    for (uint32_t i = 0; i < solver->classes.classes.count; i++) {
        const PodClass *class = &solver->classes.classes.items[i];
        WeighedPods weighed = of_class[i];

        if (!weighed.pods.count)
            continue;
        find_prices(&weighed, class);
        vec_push(solver->result, &plan->weighed, weighed);
    }
    if (plan->weighed.count)
        qsort(plan->weighed.items, plan->weighed.count, sizeof *plan->weighed.items, compare_first_pods);
}

void write_preferences(Solver *solver, Plan *plan) {
    const PodClassVec *classes = &solver->classes.classes;
    WeighedPods *of_class;

    if (solver->input->preferences != PREFERENCES_WEIGH)
        return;
    of_class = arena_array(solver->arena, WeighedPods, classes->count);
    for (uint32_t i = 0; i < classes->count; i++)
        add_rules(solver, &of_class[i], &classes->items[i]);
    for (vec_each(const Bin, bin, &solver->bins)) {
        for (vec_each(const BinPods, pods, &bin->pods)) {
            if (classes->items[pods->class].preferred.count)
                add_pods(solver, &of_class[pods->class], &classes->items[pods->class], pods);
        }
    }
    take_up(solver, of_class, plan);
}
