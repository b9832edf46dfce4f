// Collects the excluded values from the node affinity terms in force, and makes new requirements with them.
#include "sched/claim_excluded.h"

#include "sched/claim_values.h"

typedef struct {
    Solver *solver;
    Arena scratch;
    Requirements *requirements;
    SymbolVec *excluded; // per requirement: the values to add, each once
    IndexMap seen;       // requirement and value
    bool any;
} Exclusion;

static void exclude_values(Exclusion *exclusion, uint32_t key, const Expression *expression) {
    const Universe *universe = &exclusion->solver->universe;
    const Requirement *requirement = requirements_get(exclusion->requirements, universe->keys.items[key].key);
    SymbolVec *values;
    uint32_t number;

    if (!requirement || !requirement->complement)
        return;
    number = (uint32_t)(requirement - exclusion->requirements->items);
    values = &exclusion->excluded[number];
    for (vec_each(const Symbol, value, &expression->values)) {
        uint64_t pair = (uint64_t)number << 32 | *value;

        if (values->count > CLAIM_VALUES_MAX)
            return; // one more than is written anyway
        if (!universe_is_excluded(universe, key, *value) || u64_map_get(&exclusion->seen, pair) != INDEX_NONE)
            continue;
        u64_map_put(&exclusion->scratch, &exclusion->seen, pair, 1);
        vec_push(&exclusion->scratch, values, *value);
        exclusion->any = true;
    }
}

static void exclude_by_term(Exclusion *exclusion, const ExpressionVec *expressions) {
    const Universe *universe = &exclusion->solver->universe;

    for (vec_each(const Expression, expression, expressions)) {
        if (expression->op == OP_NOT_IN)
            exclude_values(exclusion, universe_key(universe, label_key_normalize(universe->symbols, expression->key)),
                           expression);
    }
}

// By the preferred terms that a variant keeps, with PREFERENCES_WEIGH.
static void exclude_by_kept(Exclusion *exclusion, const PodClass *class, uint32_t kept) {
    for (uint32_t i = 0; i < class->preferred.count; i++) {
        const PreferredRule *rule = &class->preferred.items[i];

        if (rule->kind == RULE_NODE_AFFINITY && kept & preferred_rule_bit(i))
            exclude_by_term(exclusion, &class->pod->spec->preferred_node_terms.items[rule->index].expressions);
    }
}

static void exclude_by_pods(Exclusion *exclusion, const BinPods *pods) {
    const PodClass *class = &exclusion->solver->classes.classes.items[pods->class];
    const Variant *variant = &class->variants.items[pods->variant];

    if (variant->term != INDEX_NONE)
        exclude_by_term(exclusion, &class->pod->spec->required_node_terms.items[variant->term].expressions);
    if (variant->preferred != INDEX_NONE)
        exclude_by_term(exclusion, &class->pod->spec->preferred_node_terms.items[variant->preferred].expressions);
    exclude_by_kept(exclusion, class, variant->kept);
}

static Requirements with_excluded(Exclusion *exclusion) {
    Arena *arena = exclusion->solver->result;
    const Symbols *symbols = exclusion->solver->universe.symbols;
    Requirements requirements = {0};

    for (uint32_t i = 0; i < exclusion->requirements->count; i++) {
        const Requirement *own = &exclusion->requirements->items[i];
        Expression not_in = {.key = own->key, .op = OP_NOT_IN, .values = exclusion->excluded[i]};
        Requirement others = requirement_make(arena, exclusion->solver->universe.symbols, &not_in);

        requirements_add(arena, symbols, &requirements, own);
        if (others.values.count)
            requirements_add(arena, symbols, &requirements, &others);
    }
    return requirements;
}

void claim_add_excluded(Solver *solver, const Bin *claim, Requirements *requirements) {
    Exclusion exclusion = {.solver = solver, .requirements = requirements};

    if (!solver->universe.excluded)
        return;
    exclusion.excluded = arena_array(&exclusion.scratch, SymbolVec, requirements->count);
    for (vec_each(const BinPods, pods, &claim->pods))
        exclude_by_pods(&exclusion, pods);
    if (exclusion.any)
        *requirements = with_excluded(&exclusion);
    arena_free(&exclusion.scratch);
}
