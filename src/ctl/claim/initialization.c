// Initialization of a NodeClaim: its Node is ready for the pods that were planned for it. Behaviour: reference
// lifecycle.md 2.5.
//
// There is no timeout. Gates on dynamic resource allocation are not implemented: they come with that feature. A Node
// that is being rebooted (by a later Karpenter that managed the cluster before: changes.md 2) is left alone until its
// reboot has ended.
#include "ctl/claim/initialization.h"

#include "ctl/claim/consistency.h"
#include "ctl/common/node_facts.h"
#include "text/value_edit.h"

// Why the Node is not initialized yet; reason NULL: it is.
typedef struct {
    const char *reason;
    Slice message;
} Gate;

static const Taint *find_taint(const TaintVec *taints, const Taint *wanted) {
    for (vec_each(const Taint, taint, taints)) {
        if (taint->key == wanted->key && taint->effect == wanted->effect)
            return taint;
    }
    return NULL;
}

static Gate check_startup_taints(const ClaimPass *pass, const Node *node) {
    Turn *turn = pass->turn;

    for (vec_each(const Taint, taint, &pass->claim->spec.startup_taints)) {
        if (find_taint(&node->taints, taint))
            return (Gate){"StartupTaintsExist",
                          arena_printf(turn->arena, "StartupTaint \"%.*s\" still exists",
                                       SLICE_ARG(taint_print(turn->arena, turn->symbols, taint)))};
    }
    return (Gate){0};
}

static Gate check_ephemeral_taints(const ClaimPass *pass, const Node *node) {
    Turn *turn = pass->turn;

    for (vec_each(const Taint, taint, &node->taints)) {
        if (taint_is_ephemeral(turn->symbols, taint))
            return (Gate){"KnownEphemeralTaintsExist",
                          arena_printf(turn->arena, "KnownEphemeralTaint \"%.*s\" still exists",
                                       SLICE_ARG(taint_print(turn->arena, turn->symbols, taint)))};
    }
    return (Gate){0};
}

// Finds the first requested resource, by name, that the Node does not have yet: device plugins register late.
static Gate check_resources(const ClaimPass *pass, const Node *node) {
    Turn *turn = pass->turn;
    Symbol missing = NAME_EMPTY;

    for (vec_each(const ResourceAmount, request, &pass->claim->requests)) {
        if (request->amount == 0 || resources_get(&node->allocatable, request->resource) != 0)
            continue;
        if (missing == NAME_EMPTY || symbol_cmp(turn->symbols, request->resource, missing) < 0)
            missing = request->resource;
    }
    if (missing == NAME_EMPTY)
        return (Gate){0};
    return (Gate){"ResourceNotRegistered",
                  arena_printf(turn->arena, "Resource \"%.*s\" was requested but not registered",
                               SLICE_ARG(symbol_text(turn->symbols, missing)))};
}

static Gate check_node(const ClaimPass *pass, const Node *node) {
    Gate gate;

    if (!node)
        return (Gate){"NodeNotFound", SLICE("Node not registered with cluster")};
    if (!node_is_ready(node, pass->turn->symbols))
        return (Gate){"NodeNotReady", SLICE("Node status is NotReady")};
    gate = check_startup_taints(pass, node);
    if (!gate.reason)
        gate = check_ephemeral_taints(pass, node);
    if (!gate.reason)
        gate = check_resources(pass, node);
    return gate;
}

static void label_node(ClaimPass *pass, const Node *node) {
    Turn *turn = pass->turn;
    Value *body = arena_new(turn->arena, Value);

    if (labels_get(&node->meta.labels, NAME_INITIALIZED) == NAME_TRUE)
        return;
    *body = value_map();
    value_put(turn->arena, value_make(turn->arena, body, "metadata", "labels", NULL),
              symbol_text(turn->symbols, NAME_INITIALIZED), value_string(SLICE("true")));
    turn_patch(turn, KUBE_NODE, NAME_EMPTY, node->meta.name, KUBE_OBJECT, body, 0);
}

void claim_initialize(ClaimPass *pass) {
    Turn *turn = pass->turn;
    const Node *node;
    Gate gate;

    if (!conditions_is_unknown(&pass->conditions, "Initialized") ||
        !conditions_is_true(&pass->conditions, "Registered") || conditions_is_true(&pass->conditions, "Rebooting"))
        return;
    node = claim_node(turn->state, pass->claim);
    gate = check_node(pass, node);
    if (gate.reason) {
        conditions_set_unknown(&pass->conditions, "Initialized", gate.reason, gate.message);
        return;
    }
    if (!claim_is(pass->claim, turn->symbols, "Registered"))
        return; // registered in this pass: the Node with all its taints is in the State at the next pass
    label_node(pass, node);
    conditions_set_true(&pass->conditions, "Initialized");
    if (claim_is_consistent(pass->claim, node)) // otherwise nodeclaim.consistency reports what is missing
        conditions_set_true(&pass->conditions, "ConsistentStateFound");
    if (claim_pass_tell(pass, TOLD_INITIALIZED))
        turn_log(turn, claim_pass_joined_level(pass), "initialized nodeclaim", "NodeClaim",
                 symbol_text(turn->symbols, pass->key.name), "provider-id",
                 symbol_text(turn->symbols, pass->provider_id), "Node", symbol_text(turn->symbols, node->meta.name),
                 "allocatable", resources_print_json(turn->arena, turn->symbols, &node->allocatable), NULL);
}
