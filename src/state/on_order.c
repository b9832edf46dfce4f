// NodeClaims on order: what they may count against limits is known before the API server and the cloud have answered.
#include "state/store.h"

static Handle claim_of(const State *state, const ClaimOrder *order) {
    return state_find(state, KUBE_NODE_CLAIM, NAME_EMPTY, order->claim);
}

static bool is_over(const State *state, const ClaimOrder *order, Mono now) {
    const NodeClaim *claim = state_node_claim(state, claim_of(state, order));

    if (order->claim == NAME_EMPTY)
        return mono_is_set(order->until) && mono_reached(now, order->until);
    return !claim || claim->meta.deleting || claim->capacity.count;
}

uint32_t state_order(State *state, Symbol pool, const Resources *most) {
    ClaimOrder *order = orders_add(&state->orders);

    order->holder.table = state->shared->symbols.table;
    order->pool = pool;
    order->most = resources_copy(&order->arena, most);
    symbol_hold(&order->holder, pool);
    for (uint32_t i = 0; i < most->count; i++)
        symbol_hold(&order->holder, most->items[i].resource);
    return order->number;
}

void state_order_made(State *state, uint32_t number, Symbol claim) {
    uint32_t at = orders_find(&state->orders, number);

    if (at == INDEX_NONE)
        return;
    symbol_hold(&state->orders.items[at].holder, claim);
    state->orders.items[at].claim = claim;
}

void state_order_failed(State *state, uint32_t number, Mono until) {
    uint32_t at = orders_find(&state->orders, number);

    if (at != INDEX_NONE && mono_is_set(until))
        state->orders.items[at].until = until;
    else if (at != INDEX_NONE)
        orders_remove(&state->orders, at);
}

void state_forget_orders(State *state, Mono now) {
    for (uint32_t i = state->orders.count; i-- > 0;) {
        if (is_over(state, &state->orders.items[i], now))
            orders_remove(&state->orders, i);
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
        const ClaimOrder *order = &state->orders.items[i];
        Handle claim = order->pool == pool ? claim_of(state, order) : HANDLE_NONE;

        if (order->pool != pool || state_claim_is_deleting(state, claim))
            continue;
        resources_add(arena, usage, &order->most);
        if (claim.generation)
            resources_subtract(arena, usage, state_claim_usage(state, claim));
    }
}
