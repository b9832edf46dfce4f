// Requirements of the pod and of its volumes that a pool cannot meet.
#include "sched/explain/labels.h"

#include "model/well_known.h"

#include <stdlib.h>

static void add_expressions(Explanation *e, const ExpressionVec *expressions) {
    Solver *solver = e->solver;

    for (vec_each(Expression, expression, expressions)) {
        Requirement requirement = requirement_make(solver->arena, solver->universe.symbols, expression);

        requirements_add(solver->arena, solver->universe.symbols, &e->pod, &requirement);
    }
}

void explain_pod_requirements(Explanation *e) {
    Solver *solver = e->solver;
    const PodSpec *spec = e->class->pod->spec;

    for (uint32_t i = 0; i < spec->node_selector.count; i++) {
        Symbol key = label_key_normalize(solver->universe.symbols, spec->node_selector.items[i].key);
        Requirement requirement = requirement_in(solver->arena, key, spec->node_selector.items[i].value);

        requirements_add(solver->arena, solver->universe.symbols, &e->pod, &requirement);
    }
    if (e->variant->term != INDEX_NONE)
        add_expressions(e, &spec->required_node_terms.items[e->variant->term].expressions);
    if (e->variant->preferred != INDEX_NONE)
        add_expressions(e, &spec->preferred_node_terms.items[e->variant->preferred].expressions);
}

// A known key that `key` may be a misspelling of: one that contains it or has the same suffix. scheduling.md 2.4.
static Slice typo_hint(const Explanation *e, Slice key) {
    const Universe *universe = &e->solver->universe;
    ptrdiff_t slash = slice_find(key, '/');
    Slice suffix = slash >= 0 ? slice_from(key, (size_t)slash + 1) : key;
    static const Symbol core[] = {NAME_ARCH,          NAME_OS,       NAME_INSTANCE_TYPE, NAME_REGION, NAME_ZONE,
                                  NAME_CAPACITY_TYPE, NAME_NODEPOOL, NAME_WINDOWS_BUILD};

    for (size_t i = 0; i < sizeof core / sizeof *core + e->pool->requirements.count; i++) {
        size_t known = sizeof core / sizeof *core;
        Slice other = symbol_text(universe->symbols, i < known ? core[i] : e->pool->requirements.items[i - known].key);

        if (!slice_eq(other, key) && (slice_contains(other, key) || slice_ends_with(other, suffix)))
            return other;
    }
    return (Slice){0};
}

static void explain_key(Explanation *e, const char *prefix, const Requirements *asked, uint32_t index) {
    const Universe *universe = &e->solver->universe;
    const LabelKey *key = &universe->keys.items[index];
    const Requirement *want = requirements_get(asked, key->key);
    const Requirement *have = requirements_get(&e->pool->requirements, key->key);
    Slice name = explain_name(e, key->key),
          want_text = want ? requirement_print(e->solver->arena, universe->symbols, want) : name;

    buffer_printf(&e->text, "%s", e->text.len ? "; " : prefix);
    if (!have && !pool_knows_key(e->pool, universe, index)) {
        Slice hint = typo_hint(e, name);

        buffer_printf(&e->text, "label \"%.*s\" does not have known values", SLICE_ARG(name));
        if (!slice_is_empty(hint))
            buffer_printf(&e->text, " (typo of \"%.*s\"?)", SLICE_ARG(hint));
        EXPLAIN_MISS(e, "add requirement %.*s to nodepool %.*s", SLICE_ARG(want_text), SLICE_ARG(explain_pool_name(e)));
    } else {
        Slice have_text = have ? requirement_print(e->solver->arena, universe->symbols, have) : name;

        buffer_printf(&e->text, "key %.*s, %.*s not in %.*s", SLICE_ARG(name), SLICE_ARG(want_text),
                      SLICE_ARG(have_text));
        EXPLAIN_MISS(e, "the pod wants %.*s, nodepool %.*s gives %.*s", SLICE_ARG(want_text),
                     SLICE_ARG(explain_pool_name(e)), SLICE_ARG(have_text));
    }
    if (e->reason->subject == NAME_EMPTY)
        e->reason->subject = key->key;
}

static int compare_keys(const void *a, const void *b, void *context) {
    const Universe *universe = context;

    return symbol_cmp(universe->symbols, universe->keys.items[*(const uint32_t *)a].key,
                      universe->keys.items[*(const uint32_t *)b].key);
}

// Names every key of a set for which the row has no value left, sorted by key.
static bool explain_set(Explanation *e, const char *prefix, const uint64_t *row, LabelSetId id,
                        const Requirements *asked) {
    Universe *universe = &e->solver->universe;
    const LabelSet *set = label_set(universe, id);
    U32Vec keys = {0};

    for (uint32_t i = 0; i < set->count; i++) {
        const LabelKey *key = &universe->keys.items[set->keys[i]];

        if (!bitset_intersects(row + key->first_word, set->masks[i], key->words))
            vec_push(e->solver->arena, &keys, set->keys[i]);
    }
    if (keys.count)
        qsort_r(keys.items, keys.count, sizeof *keys.items, compare_keys, universe);
    for (vec_each(uint32_t, key, &keys))
        explain_key(e, prefix, asked, *key);
    return e->text.len > 0;
}

// Whether the variant's node affinity term is empty, so that no pool can help.
static bool has_empty_term(const Explanation *e) {
    const NodeTermVec *terms = &e->class->pod->spec->required_node_terms;

    return e->variant->term != INDEX_NONE && terms->items[e->variant->term].expressions.count == 0;
}

// Whether a requirement restricts a pod to nodes that are not Karpenter's: it excludes one of Karpenter's own labels,
// or requires a label that node groups of others have and the pool does not define.
static bool is_for_others(const Explanation *e, const Requirement *requirement) {
    const Symbols *symbols = e->solver->universe.symbols;
    Operator op = requirement_operator(requirement);

    if (op == OP_DOES_NOT_EXIST)
        return requirement->key == NAME_NODEPOOL || requirement->key == NAME_CAPACITY_TYPE;
    return op != OP_NOT_IN && label_owner(symbols, requirement->key).len &&
           !requirements_get(&e->pool->requirements, requirement->key);
}

static bool term_is_for_others(Explanation *e, const ExpressionVec *expressions, Requirement *ret_requirement) {
    for (vec_each(Expression, expression, expressions)) {
        *ret_requirement = requirement_make(e->solver->arena, e->solver->universe.symbols, expression);
        if (is_for_others(e, ret_requirement))
            return true;
    }
    return false;
}

// Whether the node selector, or every term of the required affinity, is met by nodes of others only. Sets one such
// requirement.
static bool pod_is_for_others(Explanation *e, Requirement *ret_requirement) {
    const PodSpec *spec = e->class->pod->spec;
    Symbols *symbols = e->solver->universe.symbols;

    for (uint32_t i = 0; i < spec->node_selector.count; i++) {
        Symbol key = label_key_normalize(symbols, spec->node_selector.items[i].key);

        *ret_requirement = requirement_in(e->solver->arena, key, spec->node_selector.items[i].value);
        if (is_for_others(e, ret_requirement))
            return true;
    }
    for (uint32_t i = spec->required_node_terms.count;
         i-- > 0;) { // backwards: the first term's requirement is returned
        if (!term_is_for_others(e, &spec->required_node_terms.items[i].expressions, ret_requirement))
            return false;
    }
    return spec->required_node_terms.count > 0;
}

// Explains pods that are for nodes of others: no requirement of a NodePool would help.
static void say_whose(Explanation *e) {
    Requirement requirement;
    Slice owner, text;

    if (!pod_is_for_others(e, &requirement))
        return;
    owner = label_owner(e->solver->universe.symbols, requirement.key);
    text = requirement_print(e->solver->arena, e->solver->universe.symbols, &requirement);
    if (owner.len)
        EXPLAIN_MISS(e, "the pod asks for nodes of %.*s (%.*s): no NodePool makes such", SLICE_ARG(owner),
                     SLICE_ARG(text));
    else
        EXPLAIN_MISS(e, "the pod keeps away from Karpenter's nodes (%.*s)", SLICE_ARG(text));
}

bool explain_requirements(Explanation *e) {
    if (has_empty_term(e)) {
        buffer_printf(&e->text,
                      "incompatible requirements, a node selector term without expressions is met by no node");
        EXPLAIN_MISS(e, "give the term of required node affinity an expression, or remove it");
        return explain_fail(e, CHECK_REQUIREMENTS, NAME_EMPTY);
    }
    if (!explain_set(e, "incompatible requirements, ", e->pool->template_row, e->variant->labels, &e->pod))
        return false;
    say_whose(e);
    return explain_fail(e, CHECK_REQUIREMENTS, e->reason->subject);
}

bool explain_volumes(Explanation *e) {
    Solver *solver = e->solver;
    const PodClass *class = e->class;
    uint64_t *row = arena_copy(solver->arena, e->pool->template_row, (solver->universe.row_words + 1) * sizeof *row);

    if (!class->volume_alternatives.count)
        return false;
    row_narrow(&solver->universe, row, label_set(&solver->universe, e->variant->labels));
    for (vec_each(LabelSetId, alternative, &class->volume_alternatives)) {
        if (row_meets(&solver->universe, row, label_set(&solver->universe, *alternative)))
            return false;
    }
    explain_set(e, "incompatible volume requirements, ", row, *vec_last(&class->volume_alternatives),
                vec_last(&class->volume_requirements));
    return explain_fail(e, CHECK_VOLUMES, e->reason->subject);
}
