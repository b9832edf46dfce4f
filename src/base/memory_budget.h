// MemoryBudget: a limit of memory that many threads use together. A thread takes from the budget what it is about to
// keep, and gives it back later.
//
// Nobody waits for room: a caller that finds none fails, gives back what it has, and its own caller retries. A peer
// that sends too much on all connections at once thus costs no more than the budget.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    size_t max; // set before the budget is shared
    atomic_size_t used;
} MemoryBudget;

// Takes bytes. False: they do not fit, nothing is taken. Any thread; `budget` NULL: always fits. O(1).
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
