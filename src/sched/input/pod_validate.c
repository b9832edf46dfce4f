// Texts are Karpenter's: reference scheduling.md 4.1.
#include "sched/input/pod_validate.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "model/pod_bounds.h"
#include "model/validate/expression_complaint.h"

// Whether every term excludes Karpenter's nodes. Karpenter reads the first term only.
static bool keeps_away(Symbols *symbols, const PodSpec *spec) {
    for (vec_each(const NodeTerm, term, &spec->required_node_terms)) {
        bool away = false;

        for (vec_each(const Expression, expression, &term->expressions))
            away |=
                expression->op == OP_DOES_NOT_EXIST && label_key_normalize(symbols, expression->key) == NAME_NODEPOOL;
        if (!away)
            return false;
    }
    return spec->required_node_terms.count > 0;
}

static void complain(Buffer *text, Slice complaint) {
    if (slice_is_empty(complaint))
        return;
    if (text->len)
        buffer_append(text, SLICE("; "));
    buffer_append(text, complaint);
}

static int by_key_text(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, ((const Label *)a)->key, ((const Label *)b)->key);
}

static void check_node_selector(Arena *arena, Symbols *symbols, const Labels *selector, Buffer *text) {
    Label *labels = arena_copy(arena, selector->items, selector->count * sizeof *labels);

    if (selector->count)
        qsort_r(labels, selector->count, sizeof *labels, by_key_text, symbols);
    for (uint32_t i = 0; i < selector->count; i++) {
        Expression expression = {.key = labels[i].key, .op = OP_IN};

        vec_push(arena, &expression.values, labels[i].value);
        complain(text, expression_complaint(arena, symbols, &expression));
    }
}

static void check_terms(Arena *arena, Symbols *symbols, const NodeTermVec *terms, Buffer *text) {
    for (vec_each(const NodeTerm, term, terms)) {
        if (term->has_match_fields)
            complain(text, SLICE("node selector term with matchFields is not supported"));
        for (vec_each(const Expression, expression, &term->expressions))
            complain(text, expression_complaint(arena, symbols, expression));
    }
}

static const char NEEDS_DEVICES[] =
    "pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter";

static Slice size_complaint(Arena *arena, const PodSpec *spec) {
    uint64_t count = 0;
    PodBound bound = pod_bound_exceeded(spec, &count);

    return bound == POD_BOUND_COUNT ? (Slice){0} : pod_bound_text(arena, bound, count);
}

Slice pod_moving_complaint(Arena *arena, const PodSpec *spec) {
    Slice complaint = size_complaint(arena, spec);

    return slice_is_empty(complaint) && spec->has_resource_claims ? slice_of(NEEDS_DEVICES) : complaint;
}

Slice pod_spec_complaint(Arena *arena, Symbols *symbols, const PodSpec *spec) {
    Buffer text = {0};
    Slice complaint = size_complaint(arena, spec);

    if (!slice_is_empty(complaint))
        return complaint;
    if (keeps_away(symbols, spec))
        complain(&text, SLICE("configured to not run on a Karpenter provisioned node "
                              "(requirement=karpenter.sh/nodepool DoesNotExist)"));
    if (spec->has_resource_claims)
        complain(&text, slice_of(NEEDS_DEVICES));
    check_node_selector(arena, symbols, &spec->node_selector, &text);
    check_terms(arena, symbols, &spec->required_node_terms, &text);

    complaint = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return complaint;
}
