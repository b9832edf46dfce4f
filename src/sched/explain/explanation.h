// What the explanations of one class and one pool share.
//
// Each explain_* runs one check. It returns false when the class passes it; else it fills the reason with data,
// Karpenter's text (reference scheduling.md 5.5 and 5.6) and the nearest miss, and returns true.
#pragma once

#include "base/buffer.h"
#include "sched/solver.h"

typedef struct {
    Solver *solver;
    const PodClass *class;
    const Variant *variant;
    const Pool *pool;
    Requirements pod; // requirements of the variant that is explained
    uint32_t state;   // label state of a new claim with them
    Reason *reason;
    Buffer text;
} Explanation;

static inline Slice explain_name(const Explanation *e, Symbol symbol) {
    return symbol_text(e->solver->universe.symbols, symbol);
}

static inline Slice explain_pool_name(const Explanation *e) {
    return explain_name(e, e->pool->pool->meta.name);
}

// Completes the reason with the text that was written so far. Returns true.
bool explain_fail(Explanation *e, Check check, Symbol subject);

#define EXPLAIN_MISS(e, ...) ((e)->reason->nearest_miss = arena_printf((e)->solver->result, __VA_ARGS__))
