// What the files that explain a leftover class share. Private to sched/explain*.c.
//
// Each explain_* asks one check of a new claim: false when the class passes it; else the reason is filled with the
// data, Karpenter's text (reference scheduling.md 5.5 and 5.6) and the nearest miss, and true returned.
#pragma once

#include "base/buffer.h"
#include "sched/solver.h"

// One class asking one pool why not.
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

// explain/pool.c
bool explain_pool(Explanation *e);
bool explain_limits(Explanation *e);
bool explain_taints(Explanation *e);
// Names the limit that is nearest to letting one of the rows in.
void explain_nearest_limit(Explanation *e, const uint64_t *rows);

// explain/labels.c
void explain_pod_requirements(Explanation *e);
bool explain_requirements(Explanation *e);
bool explain_volumes(Explanation *e);

// explain/types.c
bool explain_volume_limits(Explanation *e);
bool explain_types(Explanation *e);
// ", requirements=…, resources=…".
void explain_append_asked(Explanation *e);

// explain/culprit.c
// The requirement of a set that leaves none of the pool's types, by itself or beside those before it (by key), as text;
// empty: none does. O(requirements × types × offerings).
Slice explain_culprit(const Explanation *e, const Requirements *asked);

// explain/topology.c
bool explain_topology(Explanation *e);
// Each rule by itself leaves a domain and some type would do: the rules exclude each other.
bool explain_rules(Explanation *e);
