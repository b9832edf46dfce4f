// spec.limits of NodePools when replacements are created: a command was planned as if all commands of its pass were
// carried out, and nodes may have come since.
#include "ctl/common/claim_facts.h"
#include "ctl/common/pool_limits.h"
#include "ctl/disruption/parts.h"

void disruption_charge(Command *command, const PlannedClaimVec *replacements) {
    command->charges = (PoolChargeVec){0};
    for (vec_each(const PlannedClaim, planned, replacements)) {
        PoolCharge charge = {.pool = planned->pool->meta.name, .most = planned_most(&command->arena, planned)};

        symbol_hold(&command->holder, charge.pool);
        vec_push(&command->arena, &command->charges, charge);
    }
}

static void add_charges(Arena *arena, Resources *to, const Command *command, Symbol pool) {
    for (vec_each(const PoolCharge, charge, &command->charges)) {
        if (charge->pool == pool)
            resources_add(arena, to, &charge->most);
    }
}

void disruption_order(Turn *turn, Command *command) {
    for (vec_each(const PoolCharge, charge, &command->charges))
        vec_push(&command->arena, &command->orders, state_order(turn->state, charge->pool, &charge->most));
}

void disruption_drop_orders(Turn *turn, const Command *command, const Completion *failed) {
    for (uint32_t i = command->created.count; i < command->orders.count; i++)
        order_failed(turn, command->orders.items[i], failed);
}

// What the State counts for the command's nodes of the pool.
static Resources own_nodes(const Turn *turn, const Command *command, Symbol pool) {
    Resources own = {0};

    for (vec_each(const CommandNode, at, &command->nodes)) {
        Handle handle = state_find_uid(turn->state, KUBE_NODE_CLAIM, at->claim_uid);
        const NodeClaim *claim = state_node_claim(turn->state, handle);

        if (claim && labels_get(&claim->meta.labels, NAME_NODEPOOL) == pool)
            resources_add(turn->arena, &own, state_claim_usage(turn->state, handle));
    }
    return own;
}

// What its replacements leave of that: so much more the pool has when they fail and the nodes stay.
static Resources left_of_own(const Turn *turn, const Command *command, Symbol pool, const Resources *own) {
    Resources charges = {0}, left = resources_copy(turn->arena, own);

    add_charges(turn->arena, &charges, command, pool);
    for (uint32_t i = 0; i < left.count; i++) {
        int64_t rest = left.items[i].amount - resources_get(&charges, left.items[i].resource);

        left.items[i].amount = rest > 0 ? rest : 0;
    }
    return left;
}

void disruption_hold(Turn *turn, Command *command) {
    for (vec_each(const Symbol, pool, &command->pools)) {
        Resources own = own_nodes(turn, command, *pool), left = left_of_own(turn, command, *pool, &own);

        vec_push(&command->arena, &command->held, state_order(turn->state, *pool, &left));
    }
}

void disruption_let_go(Turn *turn, Command *command) {
    for (vec_each(const uint32_t, order, &command->held))
        state_order_failed(turn->state, *order, (Mono){0});
    command->held.count = 0;
}

// What the pool has at most once the command's own nodes are gone. Other commands are carried out or fail. The State
// counts the nodes of one that is starting, and no longer those of one that has started: these are held.
static Resources usage_then(const CommandList *commands, Turn *turn, const Command *own, Symbol pool) {
    Resources usage = pool_usage_at_most(turn, pool), nodes = own_nodes(turn, own, pool);

    resources_subtract(turn->arena, &usage, &nodes);
    for (const Command *command = commands->first; command; command = command->next) {
        Resources left;

        if (command == own || command->phase != COMMAND_STARTING)
            continue;
        nodes = own_nodes(turn, command, pool);
        left = left_of_own(turn, command, pool, &nodes);
        resources_subtract(turn->arena, &usage, &nodes);
        resources_add(turn->arena, &usage, &left);
    }
    return usage;
}

// A claim that is not launched and not on order, of a process before this one or of somebody else: what it will count
// is not known, only what its pods request.
static const NodeClaim *find_launching(const Turn *turn, Symbol pool) {
    for (vec_each(const Handle, handle, state_claims_of_pool(turn->state, pool))) {
        const NodeClaim *claim = state_node_claim(turn->state, *handle);

        if (!claim->meta.deleting && !claim_is(claim, turn->symbols, "Launched") &&
            !state_is_on_order(turn->state, claim->meta.name))
            return claim;
    }
    return NULL;
}

static Slice launching_complaint(const Turn *turn, const NodeClaim *launching) {
    return arena_printf(turn->arena, "NodeClaim %.*s is being launched",
                        SLICE_ARG(symbol_text(turn->symbols, launching->meta.name)));
}

static Slice pool_complaint(const CommandList *commands, Turn *turn, const Command *command, Symbol name) {
    const NodePool *pool = state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, name));
    const NodeClaim *launching;
    Resources usage, more = {0};

    if (!pool || !pool->has_limits)
        return (Slice){0};
    launching = find_launching(turn, name);
    if (launching)
        return launching_complaint(turn, launching);
    usage = usage_then(commands, turn, command, name);
    add_charges(turn->arena, &more, command, name);
    return pool_limits_complaint(turn->arena, turn->symbols, pool, &usage, &more);
}

Slice disruption_limits_complaint(const CommandList *commands, Turn *turn, const Command *command) {
    IndexMap asked = {0}; // pools

    for (vec_each(const PoolCharge, charge, &command->charges)) {
        Slice complaint;

        if (u64_map_get(&asked, charge->pool) != INDEX_NONE)
            continue;
        u64_map_put(turn->arena, &asked, charge->pool, 1);
        complaint = pool_complaint(commands, turn, command, charge->pool);
        if (complaint.len)
            return complaint;
    }
    return (Slice){0};
}
