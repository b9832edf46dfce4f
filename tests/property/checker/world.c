// Look-ups in the World, findings, and arithmetic on amounts.
#include "checker/world.h"

#include <stdarg.h>
#include <stdio.h>

void judge_report(World *world, const char *kind, Symbol pod, const char *format, ...) {
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    vec_push(world->arena, &world->findings,
             (Finding){judge_symbol(world, kind), pod, arena_slice(world->arena, slice_of(text))});
}

uint32_t judge_find_pod(const World *world, Symbol name) {
    return u64_map_get(&world->pod_index, name);
}

const Type *judge_find_type(const World *world, Symbol name) {
    uint32_t index = u64_map_get(&world->type_index, name);

    return index == INDEX_NONE ? NULL : &world->types.items[index];
}

const Pool *judge_find_pool(const World *world, Symbol name) {
    for (vec_each(Pool, pool, &world->pools)) {
        if (pool->name == name)
            return pool;
    }
    return NULL;
}

Node *judge_find_node(const World *world, Symbol name) {
    uint32_t index = u64_map_get(&world->node_index, name);

    return index == INDEX_NONE ? NULL : &world->nodes.items[index];
}

Symbol judge_label_get(const LabelVec *labels, Symbol key) {
    for (uint32_t i = 0; i < labels->count; i++) {
        if (labels->items[i].key == key)
            return labels->items[i].value;
    }
    return INDEX_NONE;
}

bool judge_selector_matches(const World *world, const Selector *selector, const LabelVec *labels) {
    if (selector->is_nil)
        return false;
    for (vec_each(Expression, expression, &selector->expressions)) {
        Symbol value = judge_label_get(labels, expression->key);

        if (value == INDEX_NONE ? !expression->states.missing
                                : !judge_states_have(&world->symbols, &expression->states, value))
            return false;
    }
    return true;
}

bool judge_symbols_contain(const U32Vec *symbols, Symbol symbol) {
    for (uint32_t i = 0; i < symbols->count; i++) {
        if (symbols->items[i] == symbol)
            return true;
    }
    return false;
}

// Sums stay far inside int64, so that further sums cannot overflow.
static int64_t clamp(int64_t amount) {
    const int64_t limit = INT64_MAX / 4;

    return amount > limit ? limit : amount < -limit ? -limit : amount;
}

void judge_amounts_add(Amounts *to, const Amounts *amounts) {
    for (uint32_t i = 0; i < RESOURCE_MAX; i++)
        to->of[i] = clamp(clamp(to->of[i]) + clamp(amounts->of[i]));
    to->present |= amounts->present;
}

void judge_amounts_subtract(Amounts *from, const Amounts *amounts) {
    for (uint32_t i = 0; i < RESOURCE_MAX; i++)
        from->of[i] = clamp(clamp(from->of[i]) - clamp(amounts->of[i]));
    from->present |= amounts->present;
}

void judge_amounts_raise(Amounts *to, const Amounts *amounts) {
    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        if (amounts->of[i] > to->of[i])
            to->of[i] = amounts->of[i];
    }
    to->present |= amounts->present;
}
