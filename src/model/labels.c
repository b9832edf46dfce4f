// Labels, selectors, taints and tolerations: Kubernetes' own matching rules.
#include "model/labels.h"

// Index of a key, or of where it would be inserted.
static uint32_t find(const Labels *labels, Symbol key) {
    uint32_t low = 0, high = labels->count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (labels->items[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

Symbol labels_get(const Labels *labels, Symbol key) {
    uint32_t at = find(labels, key);

    return at < labels->count && labels->items[at].key == key ? labels->items[at].value : INDEX_NONE;
}

void labels_set(Arena *arena, Labels *labels, Symbol key, Symbol value) {
    uint32_t at = find(labels, key);

    if (at < labels->count && labels->items[at].key == key) {
        labels->items[at].value = value;
        return;
    }
    if (labels->count == labels->capacity)
        labels->items = vec_grow(arena, labels->items, sizeof *labels->items, labels->count, &labels->capacity);
    memmove(&labels->items[at + 1], &labels->items[at], (labels->count - at) * sizeof *labels->items);
    labels->items[at] = (Label){key, value};
    labels->count++;
}

bool labels_eq(const Labels *a, const Labels *b) {
    return a->count == b->count && (a->count == 0 || memcmp(a->items, b->items, a->count * sizeof *a->items) == 0);
}

static bool is_listed(const SymbolVec *values, Symbol value) {
    for (uint32_t i = 0; i < values->count; i++) {
        if (values->items[i] == value)
            return true;
    }
    return false;
}

static bool expression_matches(const Expression *expression, const Labels *labels) {
    Symbol value = labels_get(labels, expression->key);
    bool present = value != INDEX_NONE;

    switch (expression->op) {
    case OP_IN:
        return present && is_listed(&expression->values, value);
    case OP_NOT_IN:
        return !present || !is_listed(&expression->values, value);
    case OP_EXISTS:
        return present;
    case OP_DOES_NOT_EXIST:
        return !present;
    case OP_GT:
    case OP_LT:
    case OP_GTE:
    case OP_LTE:
        break;
    }
    CHECK(false, "a label selector cannot have the operator %s", operator_text(expression->op));
    return false;
}

bool selector_matches(const LabelSelector *selector, const Labels *labels) {
    if (!selector)
        return false;
    for (uint32_t i = 0; i < selector->expressions.count; i++) {
        if (!expression_matches(&selector->expressions.items[i], labels))
            return false;
    }
    return true;
}

const char *taint_effect_text(TaintEffect effect) {
    static const char *const texts[] = {
        [EFFECT_NONE] = "",
        [EFFECT_NO_SCHEDULE] = "NoSchedule",
        [EFFECT_PREFER_NO_SCHEDULE] = "PreferNoSchedule",
        [EFFECT_NO_EXECUTE] = "NoExecute",
    };

    return texts[effect];
}

// Compares the taint's value with the toleration's for Lt and Gt; a value that is not an integer is not tolerated.
static bool number_is_tolerated(const Symbols *symbols, const Toleration *toleration, const Taint *taint) {
    int64_t limit, value;

    if (!slice_to_int64(symbol_text(symbols, toleration->value), &limit) ||
        !slice_to_int64(symbol_text(symbols, taint->value), &value))
        return false;
    return toleration->op == TOLERATION_LT ? value < limit : value > limit;
}

bool toleration_tolerates(const Symbols *symbols, const Toleration *toleration, const Taint *taint) {
    if (toleration->effect != EFFECT_NONE && toleration->effect != taint->effect)
        return false;
    if (toleration->key != NAME_EMPTY && toleration->key != taint->key)
        return false;

    switch (toleration->op) {
    case TOLERATION_EQUAL:
        return toleration->value == taint->value;
    case TOLERATION_EXISTS:
        return true;
    case TOLERATION_LT:
    case TOLERATION_GT:
        return number_is_tolerated(symbols, toleration, taint);
    }
    return false;
}

bool taint_is_ephemeral(const Symbols *symbols, const Taint *taint) {
    static const Taint known[] = {
        {.key = NAME_NOT_READY, .effect = EFFECT_NO_SCHEDULE},
        {.key = NAME_NOT_READY, .effect = EFFECT_NO_EXECUTE},
        {.key = NAME_UNREACHABLE, .effect = EFFECT_NO_SCHEDULE},
        {.key = NAME_UNINITIALIZED, .effect = EFFECT_NO_SCHEDULE},
        {.key = NAME_UNREGISTERED, .effect = EFFECT_NO_EXECUTE},
        {.key = NAME_REBOOTING, .effect = EFFECT_NO_SCHEDULE},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (taint->key == known[i].key && taint->effect == known[i].effect)
            return true;
    }
    return slice_starts_with(symbol_text(symbols, taint->key), SLICE("readiness.k8s.io/"));
}

bool taint_is_tolerated(const Symbols *symbols, const Taint *taint, const TolerationVec *tolerations) {
    for (uint32_t i = 0; i < tolerations->count; i++) {
        if (toleration_tolerates(symbols, &tolerations->items[i], taint))
            return true;
    }
    return false;
}

bool taints_are_tolerated(const Symbols *symbols, const TaintVec *taints, const TolerationVec *tolerations,
                          bool prefer_counts) {
    for (vec_each(Taint, taint, taints)) {
        if ((prefer_counts || taint->effect != EFFECT_PREFER_NO_SCHEDULE) &&
            !taint_is_tolerated(symbols, taint, tolerations))
            return false;
    }
    return true;
}

Slice taint_print(Arena *arena, const Symbols *symbols, const Taint *taint) {
    Slice key = symbol_text(symbols, taint->key), value = symbol_text(symbols, taint->value);
    const char *effect = taint_effect_text(taint->effect);

    if (value.len == 0)
        return arena_printf(arena, "%.*s:%s", SLICE_ARG(key), effect);
    return arena_printf(arena, "%.*s=%.*s:%s", SLICE_ARG(key), SLICE_ARG(value), effect);
}
