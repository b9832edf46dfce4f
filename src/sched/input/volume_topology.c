// Behaviour: reference scheduling.md 4.3.
//
// When no pair of terms is compatible, Karpenter keeps the contradicting requirements and lets the pod fail later. In
// requirement algebra a contradiction on a label is equal to "label absent", so a node without the label would take
// such a pod. Here it is an error.
#include "sched/input/volume_topology.h"

// Adds an expression to a term's requirements; false when no node can meet both.
static bool add_expression(Arena *arena, Symbols *symbols, Requirements *term, const Expression *expression) {
    Requirement requirement = requirement_make(arena, symbols, expression);
    Requirements single = {.items = &requirement, .count = 1};

    if (expression->op != OP_DOES_NOT_EXIST && requirement_operator(&requirement) == OP_DOES_NOT_EXIST)
        return false;
    if (!requirements_intersect(symbols, term, &single, NULL))
        return false;
    requirements_add(arena, symbols, term, &requirement);
    return true;
}

// Requirements of one term; false when no node can meet it, as an empty term. With `ignore_hostname`, a term with
// nothing but the host name constrains nothing.
static bool term_make(Arena *arena, Symbols *symbols, const NodeTerm *term, bool ignore_hostname,
                      Requirements *ret_requirements) {
    Requirements requirements = {0};

    if (term->has_match_fields || term->expressions.count == 0)
        return false;
    for (vec_each(const Expression, expression, &term->expressions)) {
        if (ignore_hostname && expression->key == NAME_HOSTNAME)
            continue;
        if (!add_expression(arena, symbols, &requirements, expression))
            return false;
    }
    *ret_requirements = requirements;
    return true;
}

static RequirementsVec terms_make(Arena *arena, Symbols *symbols, const NodeTerm *terms, uint32_t count,
                                  bool ignore_hostname) {
    RequirementsVec alternatives = {0};

    for (uint32_t i = 0; i < count; i++) {
        Requirements requirements;

        if (term_make(arena, symbols, &terms[i], ignore_hostname, &requirements))
            vec_push(arena, &alternatives, requirements);
    }
    return alternatives;
}

// Values of zone labels: "a__b" means a or b.
static void split_values(Arena *arena, Symbols *symbols, Slice text, SymbolVec *values) {
    while (text.len) {
        size_t end = 0;

        while (end < text.len && !slice_starts_with(slice_from(text, end), SLICE("__")))
            end++;
        vec_push(arena, values, symbol_intern(symbols, slice_first(text, end)));
        text = slice_from(text, end + 2 < text.len ? end + 2 : text.len);
    }
}

// As kube-scheduler's plugin VolumeZone: zones and regions that old volumes have as labels. The plugin also accepts
// nodes without any such label; clusters with such volumes do not have these nodes, and here they are refused.
static void add_zone_labels(Arena *arena, Symbols *symbols, const PersistentVolume *volume,
                            RequirementsVec *alternatives) {
    const Labels *labels = &volume->meta.labels;

    for (uint32_t i = 0; i < labels->count; i++) {
        Expression expression = {.key = label_key_normalize(symbols, labels->items[i].key), .op = OP_IN};
        RequirementsVec met = {0};

        if (expression.key != NAME_ZONE && expression.key != NAME_REGION)
            continue;
        split_values(arena, symbols, symbol_text(symbols, labels->items[i].value), &expression.values);
        if (alternatives->count == 0 && volume->node_terms.count == 0)
            vec_push(arena, alternatives, (Requirements){0});
        for (vec_each(Requirements, alternative, alternatives)) {
            if (add_expression(arena, symbols, alternative, &expression))
                vec_push(arena, &met, *alternative);
        }
        *alternatives = met;
        if (met.count == 0)
            return;
    }
}

static bool has_zone_labels(Symbols *symbols, const PersistentVolume *volume) {
    for (uint32_t i = 0; i < volume->meta.labels.count; i++) {
        Symbol key = label_key_normalize(symbols, volume->meta.labels.items[i].key);

        if (key == NAME_ZONE || key == NAME_REGION)
            return true;
    }
    return false;
}

ErrCode volume_alternatives_of_volume(Arena *arena, Symbols *symbols, const PersistentVolume *volume,
                                      bool ignore_hostname, RequirementsVec *ret_alternatives, Err *err) {
    RequirementsVec alternatives =
        terms_make(arena, symbols, volume->node_terms.items, volume->node_terms.count, ignore_hostname);

    add_zone_labels(arena, symbols, volume, &alternatives);
    if (alternatives.count == 0 && (volume->node_terms.count > 0 || has_zone_labels(symbols, volume)))
        return err_set(err, ERR_INVALID,
                       "node affinity of the persistentvolume matches no node that can be planned for "
                       "(PersistentVolume=%.*s)",
                       SLICE_ARG(symbol_text(symbols, volume->meta.name)));
    *ret_alternatives = alternatives;
    return OK;
}

ErrCode volume_alternatives_of_class(Arena *arena, Symbols *symbols, const StorageClass *class,
                                     RequirementsVec *ret_alternatives, Err *err) {
    RequirementsVec alternatives =
        terms_make(arena, symbols, class->allowed_topologies.items, class->allowed_topologies.count, false);
    bool restricted = false;

    for (vec_each(const NodeTerm, term, &class->allowed_topologies))
        restricted |= term->expressions.count > 0;
    if (alternatives.count == 0 && restricted)
        return err_set(err, ERR_INVALID, "allowedTopologies of the storage class match no node (StorageClass=%.*s)",
                       SLICE_ARG(symbol_text(symbols, class->meta.name)));
    *ret_alternatives = alternatives;
    return OK;
}

static bool is_listed(const RequirementsVec *list, const Requirements *requirements) {
    for (vec_each(const Requirements, listed, list)) {
        if (requirements_eq(listed, requirements))
            return true;
    }
    return false;
}

// The error names the label on which the first alternatives of both sides disagree.
static ErrCode fail_apart(Arena *arena, const Symbols *symbols, const RequirementsVec *product,
                          const RequirementsVec *factor, Slice claim, Err *err) {
    Symbol key = NAME_EMPTY;
    Slice wanted, known;

    requirements_intersect(symbols, &product->items[0], &factor->items[0], &key);
    wanted = requirement_print(arena, symbols, requirements_get(&factor->items[0], key));
    known = requirement_print(arena, symbols, requirements_get(&product->items[0], key));
    return err_set(err, ERR_INVALID,
                   "incompatible volume requirements, key %.*s, %.*s not in %.*s (PersistentVolumeClaim=%.*s)",
                   SLICE_ARG(symbol_text(symbols, key)), SLICE_ARG(wanted), SLICE_ARG(known), SLICE_ARG(claim));
}

static ErrCode multiply(Arena *arena, Symbols *symbols, const RequirementsVec *product, const RequirementsVec *factor,
                        Slice claim, RequirementsVec *ret_merged, Err *err) {
    RequirementsVec merged = {0};

    for (vec_each(const Requirements, left, product)) {
        for (vec_each(const Requirements, right, factor)) {
            Requirements both;

            if (!requirements_intersect(symbols, left, right, NULL))
                continue;
            both = requirements_copy(arena, left);
            requirements_add_all(arena, symbols, &both, right);
            if (is_listed(&merged, &both))
                continue;
            if (merged.count == VOLUME_ALTERNATIVES_MAX)
                return err_set(err, ERR_INVALID,
                               "the volumes of the pod allow more than %d combinations of node affinity terms; use "
                               "fewer terms or list more values in each (PersistentVolumeClaim=%.*s)",
                               VOLUME_ALTERNATIVES_MAX, SLICE_ARG(claim));
            vec_push(arena, &merged, both);
        }
    }
    *ret_merged = merged;
    return OK;
}

ErrCode volume_alternatives_multiply(Arena *arena, Symbols *symbols, RequirementsVec *product,
                                     const RequirementsVec *factor, Slice claim, Err *err) {
    Requirements nothing = {0};
    RequirementsVec one = {.items = &nothing, .count = 1}, merged = {0};

    if (factor->count == 0)
        return OK;
    TRY(multiply(arena, symbols, product->count ? product : &one, factor, claim, &merged, err));
    if (merged.count == 0)
        return fail_apart(arena, symbols, product, factor, claim, err);
    *product = merged;
    return OK;
}
