// Labels and requirements from the template of a NodePool.
#include "model/claim_template.h"

#include "model/pool_name.h"

#include "model/well_known.h"

#include <ctype.h>

Symbol node_class_label(Arena *arena, Symbols *symbols, const NodeClassRef *ref) {
    Slice group = symbol_text(symbols, ref->group), kind = symbol_text(symbols, ref->kind);
    Slice text = arena_printf(arena, "%.*s/%.*s", SLICE_ARG(group), SLICE_ARG(kind));
    char *lower = arena_copy(arena, text.ptr, text.len);

    for (size_t i = group.len; i < text.len; i++)
        lower[i] = (char)tolower((unsigned char)lower[i]);
    return symbol_intern(symbols, (Slice){lower, text.len});
}

// A value for a label: the first listed one, else the smallest allowed integer, as the planner chooses.
static Symbol any_value(Arena *arena, Symbols *symbols, const Requirement *requirement) {
    int64_t number = requirement->has_gte                           ? requirement->gte
                     : requirement->has_lte && requirement->lte < 0 ? requirement->lte
                                                                    : 0;
    Symbol least = NAME_EMPTY, symbol;

    for (vec_each(const Symbol, value, &requirement->values)) {
        if (!requirement->complement && (least == NAME_EMPTY || symbol_cmp(symbols, *value, least) < 0))
            least = *value;
    }
    if (!requirement->complement)
        return least; // no value is allowed: the label must be absent
    do {
        symbol = symbol_intern(symbols, arena_printf(arena, "%lld", (long long)number++));
    } while (!requirement_has(symbols, requirement, symbol));
    return symbol;
}

static void add_custom_labels(Arena *arena, Symbols *symbols, const Requirements *requirements, Labels *labels) {
    for (uint32_t i = 0; i < requirements->count; i++) {
        const Requirement *requirement = &requirements->items[i];
        Symbol value;

        if (label_is_well_known(symbols, requirement->key) || label_restriction(arena, symbols, requirement->key).len ||
            labels_get(labels, requirement->key) != INDEX_NONE)
            continue;
        value = any_value(arena, symbols, requirement);
        if (value != NAME_EMPTY)
            labels_set(arena, labels, requirement->key, value);
    }
}

void claim_template(Arena *arena, Symbols *symbols, const NodePool *pool, Labels *ret_labels,
                    Requirements *ret_requirements) {
    const NodeClaimTemplateSpec *spec = &pool->template_spec;
    Labels labels = {0};
    Requirements requirements = {0};

    for (uint32_t i = 0; i < pool->template_labels.count; i++)
        labels_set(arena, &labels, pool->template_labels.items[i].key, pool->template_labels.items[i].value);
    pool_mark(arena, symbols, &labels, pool->meta.name);
    labels_set(arena, &labels, node_class_label(arena, symbols, &spec->node_class), spec->node_class.name);

    for (vec_each(const Expression, expression, &spec->requirements)) {
        Requirement requirement = requirement_make(arena, symbols, expression);

        requirements_add(arena, symbols, &requirements, &requirement);
    }
    for (uint32_t i = 0; i < labels.count; i++) {
        Symbol key = label_key_normalize(symbols, labels.items[i].key);
        Requirement requirement = requirement_in(arena, key, labels.items[i].value);

        requirements_add(arena, symbols, &requirements, &requirement);
    }
    add_custom_labels(arena, symbols, &requirements, &labels);
    *ret_labels = labels;
    *ret_requirements = requirements;
}
