// Drift of a NodeClaim from its NodePool.
#include "disrupt/drift.h"

static bool has_drifted_hash(const NodePool *pool, const NodeClaim *claim) {
    const Labels *of_pool = &pool->meta.annotations, *of_claim = &claim->meta.annotations;
    Symbol pool_hash = labels_get(of_pool, NAME_NODEPOOL_HASH), claim_hash = labels_get(of_claim, NAME_NODEPOOL_HASH);
    Symbol pool_version = labels_get(of_pool, NAME_NODEPOOL_HASH_VERSION);
    Symbol claim_version = labels_get(of_claim, NAME_NODEPOOL_HASH_VERSION);

    return pool_hash != INDEX_NONE && claim_hash != INDEX_NONE && pool_version != INDEX_NONE &&
           pool_version == claim_version && pool_hash != claim_hash;
}

// A label that is missing meets what may be missing.
static bool meets(const Symbols *symbols, const Requirement *requirement, const Labels *labels) {
    Symbol value = labels_get(labels, requirement->key);
    Operator operator= requirement_operator(requirement);

    if (value == INDEX_NONE)
        return operator== OP_NOT_IN || operator== OP_DOES_NOT_EXIST;
    return requirement_has(symbols, requirement, value);
}

static bool meets_all(Arena *arena, Symbols *symbols, const NodePool *pool, const Labels *labels) {
    Requirements all = {0};

    for (vec_each(const Expression, expression, &pool->template_spec.requirements)) {
        Requirement requirement = requirement_make(arena, symbols, expression);

        requirements_add(arena, symbols, &all, &requirement);
    }
    for (vec_each(const Requirement, requirement, &all)) {
        if (!meets(symbols, requirement, labels))
            return false;
    }
    return true;
}

Slice drift_from_pool(Arena *arena, Symbols *symbols, const NodePool *pool, const NodeClaim *claim) {
    if (has_drifted_hash(pool, claim))
        return SLICE("NodePoolDrifted");
    if (!meets_all(arena, symbols, pool, &claim->meta.labels))
        return SLICE("RequirementsDrifted");
    return (Slice){0};
}

// --- instance types

static bool is_offering_of(const Offering *offering, const Labels *labels) {
    Symbol zone = labels_get(labels, NAME_ZONE), capacity_type = labels_get(labels, NAME_CAPACITY_TYPE);
    bool reserved = capacity_type == NAME_RESERVED;

    if (zone != INDEX_NONE && zone != offering->zone)
        return false;
    return capacity_type == INDEX_NONE || capacity_type == offering->capacity_type ||
           (reserved && offering->capacity_type == NAME_ON_DEMAND);
}

bool drift_has_type(const InstanceTypeVec *types, const NodeClaim *claim) {
    const InstanceType *type = instance_type_find(types, labels_get(&claim->meta.labels, NAME_INSTANCE_TYPE));

    for (uint32_t i = 0; type && i < type->offerings.count; i++) {
        if (is_offering_of(&type->offerings.items[i], &claim->meta.labels))
            return true;
    }
    return false;
}
