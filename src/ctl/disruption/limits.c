// spec.limits of NodePools when replacements are created: a command was planned as if all commands of its pass were
// carried out, and nodes may have come since.
#include "ctl/provision/limits.h"

#include "ctl/common/claim_facts.h"
#include "ctl/disruption/parts.h"

// What the claim counts when it becomes the largest of its types.
static Resources largest_capacity(Arena *arena, const PlannedClaim *claim) {
    Resources most = {0};

    for (vec_each(const InstanceType *, type, &claim->types))
        resources_max(arena, &most, &(*type)->capacity);
    resources_set(arena, &most, NAME_NODES, 1);
    return most;
}

void disruption_charge(Command *command, const PlannedClaimVec *replacements) {
    command->charges = (PoolChargeVec){0};
    for (vec_each(const PlannedClaim, planned, replacements)) {
        PoolCharge charge = {.pool = planned->pool->meta.name, .most = largest_capacity(&command->arena, planned)};

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

// Until then the State counts what it requests, or nothing yet.
static bool is_launched(const Turn *turn, const NodeClaim *claim) {
    return claim_is(claim, turn->symbols, "Launched");
}

// Whether replacements of the command are not launched.
static bool is_launching(const Turn *turn, const Command *command) {
    for (vec_each(const Symbol, name, &command->created)) {
        const NodeClaim *claim =
            state_node_claim(turn->state, state_find(turn->state, KUBE_NODE_CLAIM, NAME_EMPTY, *name));

        if (claim && !is_launched(turn, claim))
            return true;
    }
    return command->phase == COMMAND_STARTING;
}

static void subtract_nodes(const Turn *turn, Resources *usage, const Command *command, Symbol pool) {
    for (vec_each(const CommandNode, at, &command->nodes)) {
        const NodeClaim *claim =
            state_node_claim(turn->state, state_find_uid(turn->state, KUBE_NODE_CLAIM, at->claim_uid));

        if (!claim || labels_get(&claim->meta.labels, NAME_NODEPOOL) != pool)
            continue;
        resources_subtract(turn->arena, usage, &claim->capacity);
        resources_set(turn->arena, usage, NAME_NODES, resources_get(usage, NAME_NODES) - 1);
    }
}

// What the pool has once the nodes of commands are gone and the replacements of other commands are launched. The State
// leaves out what goes as soon as a command has started.
static Resources usage_then(const CommandList *commands, const Turn *turn, const Command *own, Symbol pool) {
    Resources usage = resources_copy(turn->arena, &state_pool_usage(turn->state, pool)->capacity);

    for (const Command *command = commands->first; command; command = command->next) {
        if (command != own && is_launching(turn, command))
            add_charges(turn->arena, &usage, command, pool);
        if (command == own || command->phase == COMMAND_STARTING)
            subtract_nodes(turn, &usage, command, pool);
    }
    return usage;
}

// Whether it is among the charges of a command. Those of a command that a former process started are not known.
static bool is_charged(const CommandList *commands, const NodeClaim *claim) {
    const Command *command = commands_awaiting(commands, claim->meta.name);

    return command && command->charges.count;
}

// A claim that is not launched and that nothing was charged for: what it will count is not known, only what its pods
// request.
static const NodeClaim *find_launching(const CommandList *commands, const Turn *turn, Symbol pool) {
    for (vec_each(const Handle, handle, state_claims_of_pool(turn->state, pool))) {
        const NodeClaim *claim = state_node_claim(turn->state, *handle);

        if (!claim->meta.deleting && !is_launched(turn, claim) && !is_charged(commands, claim))
            return claim;
    }
    return NULL;
}

static Slice launching_complaint(const Turn *turn, const NodeClaim *launching) {
    return arena_printf(turn->arena, "NodeClaim %.*s is being launched",
                        SLICE_ARG(symbol_text(turn->symbols, launching->meta.name)));
}

static Slice pool_complaint(const CommandList *commands, const Turn *turn, const Command *command, Symbol name) {
    const NodePool *pool = state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, name));
    const NodeClaim *launching;
    Resources usage, more = {0};

    if (!pool || !pool->has_limits)
        return (Slice){0};
    launching = find_launching(commands, turn, name);
    if (launching)
        return launching_complaint(turn, launching);
    usage = usage_then(commands, turn, command, name);
    add_charges(turn->arena, &more, command, name);
    return provision_limits_complaint(turn->arena, turn->symbols, pool, &usage, &more);
}

Slice disruption_limits_complaint(const CommandList *commands, const Turn *turn, const Command *command) {
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
