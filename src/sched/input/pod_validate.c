// Texts are Karpenter's: reference scheduling.md 4.1.
#include "sched/input/pod_validate.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "model/pod_bounds.h"
#include "model/validate/expression_complaint.h"

// Why a term is none for Karpenter's nodes: it asks for the node group of another program, or says so itself, in the
// spelling of Provisioners or today's.
typedef enum { AWAY_NOT, AWAY_ELSEWHERE, AWAY_OF_OLD, AWAY_OF_TODAY } Away;

static const char *const away_texts[] = {
    [AWAY_NOT] = "",
    [AWAY_ELSEWHERE] = "",
    [AWAY_OF_OLD] = "configured to not run on a Karpenter provisioned node via karpenter.sh/provisioner-name "
                    "DoesNotExist requirement",
    [AWAY_OF_TODAY] = "configured to not run on a Karpenter provisioned node (requirement=karpenter.sh/nodepool "
                      "DoesNotExist)",
};

static bool is_node_group(const Symbols *symbols, Symbol key) {
    Slice text = symbol_text(symbols, key);

    return slice_eq(text, SLICE("eks.amazonaws.com/nodegroup")) ||
           slice_eq(text, SLICE("alpha.eksctl.io/nodegroup-name"));
}

static Away expression_away(Symbols *symbols, const Expression *expression) {
    if (expression->op != OP_DOES_NOT_EXIST)
        return (expression->op == OP_IN || expression->op == OP_EXISTS) && is_node_group(symbols, expression->key)
                   ? AWAY_ELSEWHERE
                   : AWAY_NOT;
    if (expression->key == NAME_PROVISIONER_NAME)
        return AWAY_OF_OLD;
    return label_key_normalize(symbols, expression->key) == NAME_NODEPOOL ? AWAY_OF_TODAY : AWAY_NOT;
}

static Away term_away(Symbols *symbols, const NodeTerm *term) {
    Away away = AWAY_NOT;

    for (vec_each(const Expression, expression, &term->expressions)) {
        Away more = expression_away(symbols, expression);

        away = more > away ? more : away;
    }
    return away;
}

// Whether every term excludes Karpenter's nodes, and one says so. Karpenter reads the first term only. Reference
// legacy.md R013: no node, and no advice to give up what the pod asks for.
static Away keeps_away(Symbols *symbols, const PodSpec *spec) {
    Away said = AWAY_NOT;

    for (vec_each(const NodeTerm, term, &spec->required_node_terms)) {
        Away away = term_away(symbols, term);

        if (away == AWAY_NOT)
            return AWAY_NOT;
        said = away > said ? away : said;
    }
    return said;
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
    complain(&text, slice_of(away_texts[keeps_away(symbols, spec)]));
    if (spec->has_resource_claims)
        complain(&text, slice_of(NEEDS_DEVICES));
    check_node_selector(arena, symbols, &spec->node_selector, &text);
    check_terms(arena, symbols, &spec->required_node_terms, &text);

    complaint = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return complaint;
}
