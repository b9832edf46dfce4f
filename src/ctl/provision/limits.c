// spec.limits of a NodePool when a NodeClaim is created.
#include "ctl/provision/limits.h"

static int64_t sum(int64_t a, int64_t b) {
    int64_t total;

    return __builtin_add_overflow(a, b, &total) ? INT64_MAX : total;
}

Slice provision_limits_complaint(Arena *arena, const Symbols *symbols, const NodePool *pool, const Resources *usage,
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
