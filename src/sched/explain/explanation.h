// One class asking one pool why not: what the checks of a new claim share.
//
// Each explain_* asks one check: false when the class passes it; else the reason is filled with the data, Karpenter's
// text (reference scheduling.md 5.5 and 5.6) and the nearest miss, and true returned.
#pragma once

#include "base/buffer.h"
#include "sched/solver.h"

typedef struct {
    Solver *solver;
    const PodClass *class;
    const Variant *variant;
    const Pool *pool;
    Requirements pod; // of the variant in force
    uint32_t state;   // of a new claim after the pod's own requirements
    Reason *reason;
    Buffer text;
} Explanation;

static inline Slice explain_name(const Explanation *e, Symbol symbol) {
    return symbol_text(e->solver->universe.symbols, symbol);
}

static inline Slice explain_pool_name(const Explanation *e) {
    return explain_name(e, e->pool->pool->meta.name);
}

// Ends with the text gathered so far. Always true.
bool explain_fail(Explanation *e, Check check, Symbol subject);

#define EXPLAIN_MISS(e, ...) ((e)->reason->nearest_miss = arena_printf((e)->solver->result, __VA_ARGS__))
