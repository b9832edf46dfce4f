#include "ctl/common/disrupted_taint.h"

static Value taint_value(Arena *arena, const Symbols *symbols, const Taint *taint) {
    Value value = value_map();

    value_put(arena, &value, SLICE("key"), value_string(symbol_text(symbols, taint->key)));
    if (taint->value != NAME_EMPTY)
        value_put(arena, &value, SLICE("value"), value_string(symbol_text(symbols, taint->value)));
    value_put(arena, &value, SLICE("effect"), value_string(slice_of(taint_effect_text(taint->effect))));
    return value;
}

Value node_taints_value(Arena *arena, const Symbols *symbols, const Node *node, bool disrupted) {
    static const Taint taint_of_disruption = {.key = NAME_DISRUPTED, .effect = EFFECT_NO_SCHEDULE};
    Value list = value_list();

    for (vec_each(const Taint, taint, &node->taints)) {
        if (taint->key != NAME_DISRUPTED)
            value_append(arena, &list, taint_value(arena, symbols, taint));
    }
    if (disrupted)
        value_append(arena, &list, taint_value(arena, symbols, &taint_of_disruption));
    return list;
}
