// Annotations of a NodePool that say when moving pods off its nodes is worth it: tenon.sh/min-saving, tenon.sh/payback.
#pragma once

#include "base/time.h"
#include "model/objects.h"

// What a move has to save at least.
typedef struct {
    double per_hour; // $ per hour
    double share;    // of the price of the nodes that go, from 0 to 1
} MinSaving;

// tenon.sh/min-saving: dollars per hour from 0 to 1,000,000 ("0.05") or a percentage of the price of the nodes that go
// ("10%"); nothing when it is absent or neither. `ret_valid` (may be NULL): it is absent, or one of both.
MinSaving pool_min_saving(const Symbols *symbols, const NodePool *pool, bool *ret_valid);

// tenon.sh/payback: the time within which a move must have saved what it costs, from a minute to 1,000 hours, ns;
// PAYBACK_DEFAULT_NS when it is absent or no such duration. `ret_valid` (may be NULL): it is absent, or one.
int64_t pool_payback_ns(const Symbols *symbols, const NodePool *pool, bool *ret_valid);
#define PAYBACK_DEFAULT_NS (2 * NS_PER_HOUR)
