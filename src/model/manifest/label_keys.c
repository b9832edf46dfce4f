// matchLabelKeys and mismatchLabelKeys: the pod's own label values become part of the selectors, as the API server (pod
// affinity) and kube-scheduler (topology spread) do it. Keys that the pod lacks are ignored; an absent selector stays
// absent. Pods with the same values share the result.
#include "model/manifest/label_keys.h"

static void note_values(Arena *arena, SymbolVec *values, const SymbolVec *keys, const Labels *labels) {
    for (vec_each(const Symbol, key, keys))
        vec_push(arena, values, labels_get(labels, *key));
}

static void note_term_values(Arena *arena, SymbolVec *values, const PodAffinityTermVec *terms, const Labels *labels) {
    for (vec_each(const PodAffinityTerm, term, terms)) {
        note_values(arena, values, &term->match_label_keys, labels);
        note_values(arena, values, &term->mismatch_label_keys, labels);
    }
}

void label_key_values(Arena *arena, const PodSpec *spec, const Labels *labels, SymbolVec *ret_values) {
    ret_values->count = 0;
    note_term_values(arena, ret_values, &spec->affinity.required, labels);
    note_term_values(arena, ret_values, &spec->affinity.preferred, labels);
    note_term_values(arena, ret_values, &spec->anti_affinity.required, labels);
    note_term_values(arena, ret_values, &spec->anti_affinity.preferred, labels);
    for (vec_each(const TopologySpread, spread, &spec->spreads))
        note_values(arena, ret_values, &spread->match_label_keys, labels);
}

// A spec with the label values of its keys, and the merged spec.
typedef struct {
    const PodSpec *from;
    SymbolVec values;
    const PodSpec *merged;
} MergedSpec;

typedef struct {
    Arena *arena;
    Vec(MergedSpec) merged;
    IndexMap index;
    SymbolVec values; // of the present pod
} Merger;

static bool selector_has(const LabelSelector *selector, Symbol key, Operator op, Symbol value) {
    for (vec_each(const Expression, expression, &selector->expressions)) {
        if (expression->key == key && expression->op == op && expression->values.count == 1 &&
            expression->values.items[0] == value)
            return true;
    }
    return false;
}

// A copy with one more expression per key. Expressions that an API server merged before are not repeated.
static const LabelSelector *merge_keys(Arena *arena, const LabelSelector *selector, const SymbolVec *keys, Operator op,
                                       const Labels *labels) {
    LabelSelector *merged;

    if (!selector || keys->count == 0)
        return selector;
    merged = arena_new(arena, LabelSelector);
    for (vec_each(const Expression, expression, &selector->expressions))
        vec_push(arena, &merged->expressions, *expression);
    for (vec_each(const Symbol, key, keys)) {
        Symbol value = labels_get(labels, *key);
        Expression *expression;

        if (value == INDEX_NONE || selector_has(selector, *key, op, value))
            continue;
        expression = vec_add(arena, &merged->expressions);
        expression->key = *key;
        expression->op = op;
        vec_push(arena, &expression->values, value);
    }
    return merged;
}

static void merge_terms(Arena *arena, PodAffinityTermVec *terms, const Labels *labels) {
    if (terms->count)
        terms->items = arena_copy(arena, terms->items, terms->count * sizeof *terms->items);
    terms->capacity = terms->count;
    for (vec_each(PodAffinityTerm, term, terms)) {
        term->selector = merge_keys(arena, term->selector, &term->match_label_keys, OP_IN, labels);
        term->selector = merge_keys(arena, term->selector, &term->mismatch_label_keys, OP_NOT_IN, labels);
    }
}

PodSpec *label_keys_merged(Arena *arena, const PodSpec *from, const Labels *labels) {
    PodSpec *spec = arena_copy(arena, from, sizeof *from);

    merge_terms(arena, &spec->affinity.required, labels);
    merge_terms(arena, &spec->affinity.preferred, labels);
    merge_terms(arena, &spec->anti_affinity.required, labels);
    merge_terms(arena, &spec->anti_affinity.preferred, labels);
    if (spec->spreads.count)
        spec->spreads.items = arena_copy(arena, spec->spreads.items, spec->spreads.count * sizeof *spec->spreads.items);
    spec->spreads.capacity = spec->spreads.count;
    for (vec_each(TopologySpread, spread, &spec->spreads))
        spread->selector = merge_keys(arena, spread->selector, &spread->match_label_keys, OP_IN, labels);
    return spec;
}

static const PodSpec *merged_for(Merger *merger, const PodSpec *spec, const Labels *labels) {
    uint64_t hash = hash_u64((uint64_t)(uintptr_t)spec);
    uint32_t cursor = 0, at;
    MergedSpec made = {.from = spec};

    for (vec_each(const Symbol, value, &merger->values))
        hash = hash_combine(hash, *value);
    while ((at = index_map_next(&merger->index, hash, &cursor)) != INDEX_NONE) {
        const MergedSpec *known = &merger->merged.items[at];

        if (known->from == spec && known->values.count == merger->values.count &&
            memcmp(known->values.items, merger->values.items, merger->values.count * sizeof(Symbol)) == 0)
            return known->merged;
    }
    for (vec_each(const Symbol, value, &merger->values))
        vec_push(merger->arena, &made.values, *value);
    made.merged = label_keys_merged(merger->arena, spec, labels);
    index_map_add(merger->arena, &merger->index, hash, merger->merged.count);
    vec_push(merger->arena, &merger->merged, made);
    return made.merged;
}

static const PodSpec *merge(Merger *merger, const PodSpec *spec, const Labels *labels) {
    label_key_values(merger->arena, spec, labels, &merger->values);
    return merger->values.count ? merged_for(merger, spec, labels) : spec;
}

void label_keys_merge(Cluster *cluster) {
    Merger merger = {.arena = &cluster->arena};

    for (vec_each(Pod, pod, &cluster->pods))
        pod->spec = merge(&merger, pod->spec, &pod->labels);
    for (vec_each(DaemonSet, daemon_set, &cluster->daemon_sets))
        daemon_set->pod_spec = merge(&merger, daemon_set->pod_spec, &daemon_set->pod_labels);
}
