// The line of the log about a command for nodes of Provisioners, as v0.31 wrote it: "deprovisioning via emptiness
// delete, terminating 1 machines n/t4g.medium/on-demand". Reference legacy.md 5.6, and S3 of 7.
#include "ctl/disruption/parts.h"

#include "base/buffer.h"
#include "model/pool_name.h"

enum { NODES_SAID_MAX = 20, TYPES_SAID_MAX = 5 };

static bool is_all_old(const Turn *turn, const Command *command) {
    for (vec_each(const Symbol, pool, &command->pools)) {
        if (!pool_is_provisioner(turn->symbols, *pool))
            return false;
    }
    return command->pools.count > 0;
}

static const NodePool *first_pool(const Turn *turn, const Command *command) {
    return state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, command->pools.items[0]));
}

// Expiration is a drift of that reason (ctl/claim/disruption.c).
static bool is_expired(const Turn *turn, const Command *command) {
    Handle handle = state_find_uid(turn->state, KUBE_NODE_CLAIM, command->nodes.items[0].claim_uid);
    const NodeClaim *claim = state_node_claim(turn->state, handle);
    const Condition *drifted = claim ? condition_get(&claim->conditions, turn->symbols, SLICE("Drifted")) : NULL;

    return drifted && slice_eq_text(symbol_text(turn->symbols, drifted->reason), "Expired");
}

// NULL: v0.31 had no such method. Empty nodes of a Provisioner without a TTL were consolidation's.
static const char *method_of(const Turn *turn, const Command *command) {
    const NodePool *pool = first_pool(turn, command);

    switch (command->method) {
    case METHOD_EMPTINESS:
        return pool && pool->disruption.policy == CONSOLIDATE_WHEN_EMPTY ? "emptiness" : "consolidation";
    case METHOD_DRIFT:
        return is_expired(turn, command) ? "expiration" : "drift";
    case METHOD_CONSOLIDATION:
        return "consolidation";
    default:
        return NULL;
    }
}

static void say_label(const Turn *turn, const Node *node, Symbol key, Buffer *text) {
    Symbol value = node ? labels_get(&node->meta.labels, key) : INDEX_NONE;

    buffer_printf(text, "/%.*s", SLICE_ARG(value == INDEX_NONE ? SLICE("") : symbol_text(turn->symbols, value)));
}

static void say_nodes(const Turn *turn, const Command *command, Buffer *text) {
    for (uint32_t i = 0; i < command->nodes.count && i < NODES_SAID_MAX; i++) {
        Symbol name = command->nodes.items[i].node;
        const Node *node = state_node(turn->state, state_find(turn->state, KUBE_NODE, NAME_EMPTY, name));

        buffer_printf(text, "%s%.*s", i ? ", " : "", SLICE_ARG(symbol_text(turn->symbols, name)));
        say_label(turn, node, NAME_INSTANCE_TYPE, text);
        say_label(turn, node, NAME_CAPACITY_TYPE, text);
    }
    if (command->nodes.count > NODES_SAID_MAX)
        buffer_printf(text, " and %u other(s)", command->nodes.count - NODES_SAID_MAX);
}

static void say_types(const Turn *turn, const SymbolVec *types, Buffer *text) {
    for (uint32_t i = 0; i < types->count && i < TYPES_SAID_MAX; i++)
        buffer_printf(text, "%s%.*s", i ? ", " : "", SLICE_ARG(symbol_text(turn->symbols, types->items[i])));
    if (types->count > TYPES_SAID_MAX)
        buffer_printf(text, " and %u other(s)", types->count - TYPES_SAID_MAX);
}

// The only capacity type of a replacement; empty: it may have several.
static Slice capacity_of(const Turn *turn, const ProposedClaim *claim) {
    Symbol capacity = labels_get(&claim->labels, NAME_CAPACITY_TYPE);

    return capacity == INDEX_NONE ? SLICE("") : symbol_text(turn->symbols, capacity);
}

static uint32_t count_of(const Turn *turn, const Command *command, const char *capacity_type) {
    uint32_t count = 0;

    for (vec_each(const ProposedClaim, claim, &command->proposed)) {
        Slice capacity = capacity_of(turn, claim);

        count += !capacity.len || slice_eq_text(capacity, capacity_type);
    }
    return count;
}

static void say_replacements(const Turn *turn, const Command *command, Buffer *text) {
    const ProposedClaimVec *claims = &command->proposed;
    Slice capacity = claims->count ? capacity_of(turn, &claims->items[0]) : SLICE("");

    if (!claims->count)
        return;
    buffer_append(text, SLICE(" and replacing with "));
    if (claims->count > 1)
        buffer_printf(text, "%u spot and %u on-demand machines", count_of(turn, command, "spot"),
                      count_of(turn, command, "on-demand"));
    else
        buffer_printf(text, "%.*s%smachine", SLICE_ARG(capacity), capacity.len ? " " : "");
    buffer_append(text, SLICE(" from types "));
    say_types(turn, &claims->items[0].types, text);
}

Slice disruption_old_text(Turn *turn, const Command *command) {
    const char *method = is_all_old(turn, command) && command->nodes.count ? method_of(turn, command) : NULL;
    Buffer text = {0};
    Slice said;

    if (!method)
        return (Slice){0};
    buffer_printf(&text, "deprovisioning via %s %s, terminating %u machines ", method, command_decision(command),
                  command->nodes.count);
    say_nodes(turn, command, &text);
    say_replacements(turn, command, &text);
    said = arena_slice(turn->arena, buffer_slice(&text));
    buffer_free(&text);
    return said;
}
