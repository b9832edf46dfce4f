// Hashes of launches. Lists begin with their length, so that no two of them run into each other.
#include "engine/gather/launch_hash.h"

static uint64_t add_requirement(uint64_t hash, const Requirement *requirement) {
    hash = hash_combine(hash, requirement->key);
    hash = hash_combine(hash, (uint64_t)requirement->complement << 2 | (uint64_t)requirement->has_gte << 1 |
                                  (uint64_t)requirement->has_lte);
    hash = hash_combine(hash, requirement->has_gte ? (uint64_t)requirement->gte : 0);
    hash = hash_combine(hash, requirement->has_lte ? (uint64_t)requirement->lte : 0);
    hash = hash_combine(hash, (uint64_t)requirement->min_values);
    hash = hash_combine(hash, requirement->values.count);
    for (vec_each(const Symbol, value, &requirement->values))
        hash = hash_combine(hash, *value);
    return hash;
}

static uint64_t add_requirements(uint64_t hash, const Requirements *requirements) {
    hash = hash_combine(hash, requirements->count);
    for (vec_each(const Requirement, requirement, requirements))
        hash = add_requirement(hash, requirement);
    return hash;
}

static uint64_t add_taints(uint64_t hash, const TaintVec *taints) {
    hash = hash_combine(hash, taints->count);
    for (vec_each(const Taint, taint, taints)) {
        hash = hash_combine(hash, (uint64_t)taint->key << 32 | taint->value);
        hash = hash_combine(hash, taint->effect);
    }
    return hash;
}

static uint64_t add_labels(uint64_t hash, const Labels *labels) {
    for (vec_each(const Label, label, labels)) {
        if (label->key != NAME_HOSTNAME)
            hash = hash_combine(hash, (uint64_t)label->key << 32 | label->value);
    }
    return hash;
}

uint64_t launch_hash(const CloudLaunch *launch) {
    const NodeClaimTemplateSpec *spec = &launch->claim->spec;
    uint64_t hash = hash_combine((uint64_t)spec->node_class.group << 32 | spec->node_class.kind, spec->node_class.name);

    hash = add_requirements(hash, &launch->requirements);
    hash = add_taints(hash, &spec->taints);
    hash = add_taints(hash, &spec->startup_taints);
    return add_labels(hash, &launch->claim->meta.labels);
}
