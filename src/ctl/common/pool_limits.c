#include "ctl/common/pool_limits.h"

enum { DOUBT_S = 30 };

Resources planned_most(Arena *arena, const PlannedClaim *planned) {
    Resources most = {0};

    for (vec_each(const InstanceType *, type, &planned->types))
        resources_max(arena, &most, &(*type)->capacity);
    resources_set(arena, &most, NAME_NODES, 1);
    return most;
}

Resources pool_usage_at_most(Turn *turn, Symbol pool) {
    Resources usage = resources_copy(turn->arena, &state_pool_usage(turn->state, pool)->capacity);

    state_forget_orders(turn->state, turn->now);
    state_add_orders(turn->state, turn->arena, pool, &usage);
    return usage;
}

static int64_t sum(int64_t a, int64_t b) {
    int64_t total;

    return __builtin_add_overflow(a, b, &total) ? INT64_MAX : total;
}

void order_failed(Turn *turn, uint32_t order, const Completion *completion) {
    state_order_failed(turn->state, order,
                       completion_is_doubtful(completion) ? mono_after(turn->now, DOUBT_S * NS_PER_S) : (Mono){0});
}

Slice pool_limits_complaint(Arena *arena, const Symbols *symbols, const NodePool *pool, const Resources *usage,
                            const Resources *more) {
    for (uint32_t i = 0; pool->has_limits && i < pool->limits.count; i++) {
        Symbol resource = pool->limits.items[i].resource;
        int64_t limit = pool->limits.items[i].amount, used = resources_get(usage, resource);
        Slice limit_text, used_text;

        if (sum(used, more ? resources_get(more, resource) : 0) <= limit)
            continue;
        limit_text = resource_print(arena, resource, limit);
        used_text = resource_print(arena, resource, used);
        return arena_printf(arena, "resource usage exceeds limit (limit=%.*s, resource-name=%.*s, usage=%.*s)",
                            SLICE_ARG(limit_text), SLICE_ARG(symbol_text(symbols, resource)), SLICE_ARG(used_text));
    }
    return (Slice){0};
}
