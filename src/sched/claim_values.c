// Finds the values that the node of a claim can have.
#include "sched/claim_values.h"

static uint32_t values_listed(const Requirements *requirements) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < requirements->count; i++)
        count += requirements->items[i].values.count;
    return count;
}

// Adds the values that `had` lists for the key, as far as the claim's requirement allows them.
static void add_allowed(Arena *arena, const Symbols *symbols, const Requirements *had, const Requirement *own,
                        SymbolVec *values) {
    const Requirement *requirement = requirements_get(had, own->key);

    if (!requirement || requirement->complement)
        return;
    for (vec_each(const Symbol, value, &requirement->values)) {
        if (requirement_has(symbols, own, *value))
            vec_push(arena, values, *value);
    }
}

// The requirement that is met by the values alone that the claim's node can have. Without values: DoesNotExist.
static Requirement values_of_node(Arena *arena, Symbols *symbols, const PlannedClaim *claim, const Requirement *own) {
    Expression in = {.key = own->key, .op = OP_IN, .min_values = own->min_values};
    Symbol label = labels_get(&claim->labels, own->key);
    Arena scratch = {0};
    Requirement made;

    if (label != INDEX_NONE)
        vec_push(&scratch, &in.values, label);
    for (uint32_t i = 0; i < claim->types.count && label == INDEX_NONE; i++) {
        const InstanceType *type = claim->types.items[i];

        add_allowed(&scratch, symbols, &type->requirements, own, &in.values);
        for (vec_each(const Offering, offering, &type->offerings))
            add_allowed(&scratch, symbols, &offering->requirements, own, &in.values);
    }
    made = requirement_make(arena, symbols, &in);
    arena_free(&scratch);
    return made;
}

void claim_bound_values(Arena *arena, Symbols *symbols, PlannedClaim *claim) {
    Requirements bounded = {0};

    if (values_listed(&claim->requirements) <= CLAIM_VALUES_MAX)
        return;
    for (uint32_t i = 0; i < claim->requirements.count; i++) {
        const Requirement *own = &claim->requirements.items[i];
        Requirement shorter = *own;

        if (own->values.count > CLAIM_VALUES_LONG && own->key != NAME_INSTANCE_TYPE)
            shorter = values_of_node(arena, symbols, claim, own);
        requirements_add(arena, symbols, &bounded, &shorter);
    }
    claim->requirements = bounded;
}
