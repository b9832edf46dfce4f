// Orders: NodeClaims that were asked for and are not launched (state_order in state/state.h). On the heap.
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
} ClaimOrder;

typedef struct {
    ClaimOrder *items;
    uint32_t count, capacity;
    uint32_t last; // number of the last order
} Orders;

ClaimOrder *orders_add(Orders *orders); // valid until the next
void orders_remove(Orders *orders, uint32_t at);
uint32_t orders_find(const Orders *orders, uint32_t number); // INDEX_NONE: it is over. O(orders)
void orders_free(Orders *orders);
size_t orders_bytes(const Orders *orders);
