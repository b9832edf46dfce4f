// A bound for memory that many threads hold together: each takes what it is about to keep and gives it back.
//
// Nobody waits for room: who finds none fails, gives back what it has, and is tried again by whoever asked. So a peer
// that sends too much on all connections at once costs the bound and no more.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    size_t max; // set before it is shared
    atomic_size_t used;
} MemoryBudget;

// False: it does not fit, nothing is taken. Any thread; `budget` NULL: always fits. O(1).
static inline bool memory_budget_take(MemoryBudget *budget, size_t bytes) {
    size_t before = budget ? atomic_fetch_add(&budget->used, bytes) : 0;

    if (!budget || (before <= budget->max && bytes <= budget->max - before))
        return true;
    atomic_fetch_sub(&budget->used, bytes);
    return false;
}

static inline void memory_budget_give(MemoryBudget *budget, size_t bytes) {
    if (budget)
        atomic_fetch_sub(&budget->used, bytes);
}
