// Copies a PodSpec to memory of its own, without the garbage that decoding leaves between its parts.
#include "model/decode/pod.h"

// The common layout of all vectors.
typedef Vec(char) AnyVec;

static void copy_items(Arena *arena, void *vector, size_t size) {
    AnyVec *vec = vector;

    vec->capacity = vec->count;
    vec->items = vec->count ? arena_copy(arena, vec->items, vec->count * size) : NULL;
}

#define COPY_ITEMS(arena, vec) copy_items((arena), (vec), sizeof *(vec)->items)

static void copy_expressions(Arena *arena, ExpressionVec *expressions) {
    COPY_ITEMS(arena, expressions);
    for (vec_each(Expression, expression, expressions))
        COPY_ITEMS(arena, &expression->values);
}

static const LabelSelector *copy_selector(Arena *arena, const LabelSelector *selector) {
    LabelSelector *copy;

    if (!selector)
        return NULL;
    copy = arena_copy(arena, selector, sizeof *selector);
    copy_expressions(arena, &copy->expressions);
    return copy;
}

static void copy_node_terms(Arena *arena, NodeTermVec *terms) {
    COPY_ITEMS(arena, terms);
    for (vec_each(NodeTerm, term, terms))
        copy_expressions(arena, &term->expressions);
}

static void copy_pod_terms(Arena *arena, PodAffinityTermVec *terms) {
    COPY_ITEMS(arena, terms);
    for (vec_each(PodAffinityTerm, term, terms)) {
        term->selector = copy_selector(arena, term->selector);
        term->namespace_selector = copy_selector(arena, term->namespace_selector);
        COPY_ITEMS(arena, &term->namespaces);
        COPY_ITEMS(arena, &term->match_label_keys);
        COPY_ITEMS(arena, &term->mismatch_label_keys);
    }
}

PodSpec pod_spec_copy(Arena *arena, const PodSpec *from) {
    PodSpec spec = *from;

    COPY_ITEMS(arena, &spec.requests);
    COPY_ITEMS(arena, &spec.node_selector);
    copy_node_terms(arena, &spec.required_node_terms);
    copy_node_terms(arena, &spec.preferred_node_terms);
    copy_pod_terms(arena, &spec.affinity.required);
    copy_pod_terms(arena, &spec.affinity.preferred);
    copy_pod_terms(arena, &spec.anti_affinity.required);
    copy_pod_terms(arena, &spec.anti_affinity.preferred);
    COPY_ITEMS(arena, &spec.spreads);
    for (vec_each(TopologySpread, spread, &spec.spreads)) {
        spread->selector = copy_selector(arena, spread->selector);
        COPY_ITEMS(arena, &spread->match_label_keys);
    }
    COPY_ITEMS(arena, &spec.tolerations);
    COPY_ITEMS(arena, &spec.host_ports);
    COPY_ITEMS(arena, &spec.volumes);
    return spec;
}
