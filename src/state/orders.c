// NodeClaims on order: what they may count against limits is known before the API server and the cloud have answered.
#include "base/alloc.h"
#include "state/store.h"

#include <stdlib.h>

static void drop(Orders *orders, uint32_t at) {
    symbol_holder_free(&orders->items[at].holder);
    arena_free(&orders->items[at].arena);
    memmove(&orders->items[at], &orders->items[at + 1], (--orders->count - at) * sizeof *orders->items);
}

void orders_free(Orders *orders) {
    while (orders->count)
        drop(orders, orders->count - 1);
    free(orders->items);
    *orders = (Orders){0};
}

size_t orders_bytes(const Orders *orders) {
    size_t bytes = orders->capacity * sizeof *orders->items;

    for (uint32_t i = 0; i < orders->count; i++)
        bytes += orders->items[i].most.capacity * sizeof(ResourceAmount);
    return bytes;
}

static Order *find(Orders *orders, uint32_t number) {
    for (uint32_t i = 0; i < orders->count; i++) {
        if (orders->items[i].number == number)
            return &orders->items[i];
    }
    return NULL;
}

static Handle claim_of(const State *state, const Order *order) {
    return state_find(state, KUBE_NODE_CLAIM, NAME_EMPTY, order->claim);
}

static bool is_over(const State *state, const Order *order, Mono now) {
    const NodeClaim *claim = state_node_claim(state, claim_of(state, order));

    if (order->claim == NAME_EMPTY)
        return mono_is_set(order->until) && mono_reached(now, order->until);
    return !claim || claim->meta.deleting || claim->capacity.count;
}

uint32_t state_order(State *state, Symbol pool, const Resources *most) {
    Orders *orders = &state->orders;
    Order *order;

    GROW(orders->items, orders->capacity, orders->count + 1);
    order = &orders->items[orders->count++];
    *order = (Order){.number = ++orders->last, .pool = pool, .claim = NAME_EMPTY};
    order->holder.table = state->shared->symbols.table;
    order->most = resources_copy(&order->arena, most);
    symbol_hold(&order->holder, pool);
    for (uint32_t i = 0; i < most->count; i++)
        symbol_hold(&order->holder, most->items[i].resource);
    return order->number;
}

void state_order_made(State *state, uint32_t number, Symbol claim) {
    Order *order = find(&state->orders, number);

    if (!order)
        return;
    symbol_hold(&order->holder, claim);
    order->claim = claim;
}

void state_order_failed(State *state, uint32_t number, Mono until) {
    Order *order = find(&state->orders, number);

    if (order && mono_is_set(until))
        order->until = until;
    else if (order)
        drop(&state->orders, (uint32_t)(order - state->orders.items));
}

void state_forget_orders(State *state, Mono now) {
    for (uint32_t i = state->orders.count; i-- > 0;) {
        if (is_over(state, &state->orders.items[i], now))
            drop(&state->orders, i);
    }
}

bool state_is_on_order(const State *state, Symbol claim) {
    for (uint32_t i = 0; i < state->orders.count; i++) {
        if (state->orders.items[i].claim == claim)
            return true;
    }
    return false;
}

// What the State counts for the claim so far is counted once.
void state_add_orders(const State *state, Arena *arena, Symbol pool, Resources *usage) {
    for (uint32_t i = 0; i < state->orders.count; i++) {
        const Order *order = &state->orders.items[i];
        Handle claim = order->pool == pool ? claim_of(state, order) : HANDLE_NONE;

        if (order->pool != pool || state_claim_is_deleting(state, claim))
            continue;
        resources_add(arena, usage, &order->most);
        if (claim.generation)
            resources_subtract(arena, usage, &state->tallies[TALLIES_CLAIMS].items[claim.index].capacity);
    }
}
