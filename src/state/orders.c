// The list of NodeClaims on order.
#include "state/orders.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

ClaimOrder *orders_add(Orders *orders) {
    ClaimOrder *order;

    GROW(orders->items, orders->capacity, orders->count + 1);
    order = &orders->items[orders->count++];
    *order = (ClaimOrder){.number = ++orders->last, .pool = SYMBOL_EMPTY, .claim = SYMBOL_EMPTY};
    return order;
}

void orders_remove(Orders *orders, uint32_t at) {
    symbol_holder_free(&orders->items[at].holder);
    arena_free(&orders->items[at].arena);
    memmove(&orders->items[at], &orders->items[at + 1], (--orders->count - at) * sizeof *orders->items);
}

uint32_t orders_find(const Orders *orders, uint32_t number) {
    for (uint32_t i = 0; i < orders->count; i++) {
        if (orders->items[i].number == number)
            return i;
    }
    return INDEX_NONE;
}

void orders_free(Orders *orders) {
    while (orders->count)
        orders_remove(orders, orders->count - 1);
    free(orders->items);
    *orders = (Orders){0};
}

size_t orders_bytes(const Orders *orders) {
    size_t bytes = orders->capacity * sizeof *orders->items;

    for (uint32_t i = 0; i < orders->count; i++)
        bytes += orders->items[i].most.capacity * sizeof(ResourceAmount);
    return bytes;
}
