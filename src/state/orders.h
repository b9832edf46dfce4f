// Orders: NodeClaims that were asked for and are not launched, as the State keeps them (state/state.h). On the heap.
#pragma once

#include "base/time.h"
#include "model/resources.h"

typedef struct {
    uint32_t number;
    Symbol pool, claim; // claim: NAME_EMPTY until the API server has answered
    Resources most;
    Mono until;  // of a creation that was not answered
    Arena arena; // of `most`
    SymbolHolder holder;
} Order;

typedef struct {
    Order *items;
    uint32_t count, capacity;
    uint32_t last; // number of the last order
} Orders;

void orders_free(Orders *orders);
size_t orders_bytes(const Orders *orders);
