#include "ctl/common/node_taints.h"

static Value taint_value(Arena *arena, const Symbols *symbols, const Taint *taint) {
    Value value = value_map();

    value_put(arena, &value, SLICE("key"), value_string(symbol_text(symbols, taint->key)));
    if (taint->value != NAME_EMPTY)
        value_put(arena, &value, SLICE("value"), value_string(symbol_text(symbols, taint->value)));
    value_put(arena, &value, SLICE("effect"), value_string(slice_of(taint_effect_text(taint->effect))));
    return value;
}

Value node_taints_value(Arena *arena, const Symbols *symbols, const Node *node, Symbol key, TaintEffect effect) {
    const Taint own = {.key = key, .effect = effect};
    Value list = value_list();

    for (vec_each(const Taint, taint, &node->taints)) {
        if (taint->key != key)
            value_append(arena, &list, taint_value(arena, symbols, taint));
    }
    if (effect != EFFECT_NONE)
        value_append(arena, &list, taint_value(arena, symbols, &own));
    return list;
}
