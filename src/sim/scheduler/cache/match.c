// Matching of expressions, terms and tolerations. Independent of src/model on purpose: this scheduler has to disagree
// with the planner where the planner is wrong.
#include "sim/scheduler/cache/match.h"

static bool has_value(const Expression *expression, Symbol value) {
    for (uint32_t i = 0; i < expression->values.count; i++) {
        if (expression->values.items[i] == value)
            return true;
    }
    return false;
}

static bool compares(const Symbols *symbols, const Expression *expression, Symbol value) {
    int64_t left, right;

    if (expression->values.count != 1 || !slice_to_int64(symbol_text(symbols, value), &left) ||
        !slice_to_int64(symbol_text(symbols, expression->values.items[0]), &right))
        return false;
    return expression->op == OP_GT ? left > right : left < right;
}

bool cache_expression_holds(const Symbols *symbols, const Expression *expression, const Labels *labels) {
    Symbol value = labels_get(labels, expression->key);
    bool present = value != INDEX_NONE;

    switch (expression->op) {
    case OP_IN:
        return present && has_value(expression, value);
    case OP_NOT_IN:
        return !present || !has_value(expression, value);
    case OP_EXISTS:
        return present;
    case OP_DOES_NOT_EXIST:
        return !present;
    case OP_GT:
    case OP_LT:
        return present && compares(symbols, expression, value);
    case OP_GTE:
    case OP_LTE:
        break; // not in selectors of pods
    }
    return false;
}

bool cache_selector_selects(const Symbols *symbols, const LabelSelector *selector, const Labels *labels) {
    if (!selector)
        return false;
    for (vec_each(const Expression, expression, &selector->expressions)) {
        if (!cache_expression_holds(symbols, expression, labels))
            return false;
    }
    return true;
}

static bool pin_holds(const CachePin *pin, Symbol node_name) {
    bool listed = !pin->has_in;

    for (uint32_t i = 0; i < pin->in.count; i++)
        listed |= pin->in.items[i] == node_name;
    for (uint32_t i = 0; i < pin->not_in.count; i++) {
        if (pin->not_in.items[i] == node_name)
            return false;
    }
    return listed;
}

bool cache_term_holds(const Symbols *symbols, const NodeTerm *term, const CachePin *pin, const Labels *labels,
                      Symbol node_name) {
    if (term->expressions.count == 0 && !term->has_match_fields)
        return false; // an empty term matches nothing
    for (vec_each(const Expression, expression, &term->expressions)) {
        if (!cache_expression_holds(symbols, expression, labels))
            return false;
    }
    return !term->has_match_fields || (pin && pin_holds(pin, node_name));
}

bool cache_affinity_holds(const Symbols *symbols, const PodSpec *spec, const CachePin *pins, const CacheNode *node) {
    for (vec_each(const Label, label, &spec->node_selector)) {
        if (labels_get(&node->labels, label->key) != label->value)
            return false;
    }
    if (!spec->has_required_node_terms)
        return true;
    for (uint32_t i = 0; i < spec->required_node_terms.count; i++) {
        if (cache_term_holds(symbols, &spec->required_node_terms.items[i], pins ? &pins[i] : NULL, &node->labels,
                             node->name))
            return true;
    }
    return false;
}

static bool tolerates(const Symbols *symbols, const Toleration *toleration, const Taint *taint) {
    int64_t ours, theirs;

    if (toleration->effect != EFFECT_NONE && toleration->effect != taint->effect)
        return false;
    if (toleration->key != NAME_EMPTY && toleration->key != taint->key)
        return false;
    switch (toleration->op) {
    case TOLERATION_EXISTS:
        return true;
    case TOLERATION_EQUAL:
        return toleration->key != NAME_EMPTY && toleration->value == taint->value;
    case TOLERATION_LT:
    case TOLERATION_GT:
        break;
    }
    if (!slice_to_int64(symbol_text(symbols, toleration->value), &ours) ||
        !slice_to_int64(symbol_text(symbols, taint->value), &theirs))
        return false;
    return toleration->op == TOLERATION_LT ? theirs < ours : theirs > ours;
}

const Taint *cache_taint_in_the_way(const Symbols *symbols, const TolerationVec *tolerations, const TaintVec *taints) {
    for (vec_each(const Taint, taint, taints)) {
        bool tolerated = taint->effect != EFFECT_NO_SCHEDULE && taint->effect != EFFECT_NO_EXECUTE;

        for (uint32_t i = 0; i < tolerations->count && !tolerated; i++)
            tolerated = tolerates(symbols, &tolerations->items[i], taint);
        if (!tolerated)
            return taint;
    }
    return NULL;
}
