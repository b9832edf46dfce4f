// Rules about objects, checked when they change, and at the end.
#include "sim/audit/audit_change.h"

#include "model/names.h"
#include "sim/audit/audit_commands.h"
#include "sim/audit/audit_disrupt.h"
#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_protect.h"
#include "sim/audit/audit_rules.h"
#include "sim/audit/audit_surplus.h"

#include <inttypes.h>

// --- registration

static bool has_taint(const TaintVec *taints, const Taint *wanted) {
    for (vec_each(const Taint, taint, taints)) {
        if (taint->key == wanted->key && taint->effect == wanted->effect)
            return true;
    }
    return false;
}

static void check_synced(Audit *audit, const Node *node, const NodeClaim *claim) {
    const Symbols *symbols = world_symbols(audit->world);
    const TaintVec *lists[] = {&claim->spec.taints, &claim->spec.startup_taints};
    Symbol opt_out = symbol_find(symbols, SLICE("karpenter.sh/do-not-sync-taints"));

    for (size_t list = 0; list < 2 && (opt_out == INDEX_NONE || labels_get(&node->meta.labels, opt_out) != NAME_TRUE);
         list++) {
        for (vec_each(const Taint, taint, lists[list])) {
            if (!has_taint(&node->taints, taint))
                audit_violate(audit, AUDIT_SYNCED_FIRST, "node %.*s is registered without the taint %.*s",
                              SLICE_ARG(symbol_text(symbols, node->meta.name)),
                              SLICE_ARG(symbol_text(symbols, taint->key)));
        }
    }
    for (uint32_t i = 0; i < claim->meta.labels.count; i++) {
        const Label *label = &claim->meta.labels.items[i];

        if (labels_get(&node->meta.labels, label->key) != label->value)
            audit_violate(audit, AUDIT_SYNCED_FIRST, "node %.*s is registered without the label %.*s of its NodeClaim",
                          SLICE_ARG(symbol_text(symbols, node->meta.name)),
                          SLICE_ARG(symbol_text(symbols, label->key)));
    }
}

// The only claim that has the provider id of an instance which the cloud does not know (both were applied by hand).
static const NodeClaim *claim_that_says_so(const State *state, Symbol provider_id) {
    const HandleVec *claims = state_claims_with_provider_id(state, provider_id);

    return claims->count == 1 ? state_node_claim(state, claims->items[0]) : NULL;
}

// The NodeClaim whose instance the Node is, even if the claim has no provider id yet: a claim gets provider id, node
// name and conditions in one write, and the Node is written before.
static const NodeClaim *claim_behind(const Audit *audit, const Node *node) {
    const State *state = world_state(audit->world);
    uint32_t number = sim_cloud_find_instance(audit->cloud, node->provider_id);
    const SimInstance *instance = number == UINT32_MAX ? NULL : sim_cloud_instance(audit->cloud, number);

    if (state_nodes_with_provider_id(state, node->provider_id)->count != 1)
        return NULL;
    return instance ? audit_claim_of_instance(audit, instance) : claim_that_says_so(state, node->provider_id);
}

static void check_node(Audit *audit, const Node *before, const Node *after) {
    const Symbols *symbols = world_symbols(audit->world);
    const NodeClaim *claim;

    if (labels_get(&after->meta.labels, NAME_REGISTERED) == INDEX_NONE ||
        (before && labels_get(&before->meta.labels, NAME_REGISTERED) != INDEX_NONE))
        return;
    claim = claim_behind(audit, after);
    if (claim)
        check_synced(audit, after, claim);
    else
        audit_violate(audit, AUDIT_ONE_NODE, "node %.*s is registered without a NodeClaim of its own",
                      SLICE_ARG(symbol_text(symbols, after->meta.name)));
}

static void check_registered(Audit *audit, const NodeClaim *before, const NodeClaim *after) {
    const State *state = world_state(audit->world);
    uint32_t nodes = state_nodes_with_provider_id(state, after->provider_id)->count;

    // a Node may have been deleted in between; two are never right
    if (audit_claim_is(audit, after, "Registered") && !audit_claim_is(audit, before, "Registered") && nodes > 1)
        audit_violate(audit, AUDIT_ONE_NODE, "NodeClaim %.*s is registered with %u nodes",
                      SLICE_ARG(symbol_text(world_symbols(audit->world), after->meta.name)), nodes);
}

// --- limits

static void note_pool(Audit *audit, const NodePool *before, const NodePool *after) {
    uint32_t slot = u64_map_get(&audit->pool_changed, after->meta.name);

    if (before && before->meta.generation == after->meta.generation)
        return;
    if (slot == INDEX_NONE) {
        slot = audit->pool_changed_ns.count;
        vec_push(&audit->arena, &audit->pool_changed_ns, 0);
        u64_map_put(&audit->arena, &audit->pool_changed, after->meta.name, slot);
    }
    audit->pool_changed_ns.items[slot] = world_now_ns(audit->world);
}

// A node that expires has a record, but no reason.
static bool is_replaced(Audit *audit, const NodeClaim *claim) {
    return audit_claim_is(audit, claim, "DisruptionReason") || audit_claim(audit, claim)->candidate_of;
}

// Sum of the capacity of the pool's claims that are not being deleted or replaced; a claim without capacity has not
// launched and does not count.
static int64_t capacity_of_pool(Audit *audit, Symbol pool, Symbol resource) {
    const State *state = world_state(audit->world);
    int64_t sum = 0;

    for (vec_each(const Handle, handle, state_claims_of_pool(state, pool))) {
        const NodeClaim *claim = state_node_claim(state, *handle);

        if (!claim->meta.deleted_ns && !is_replaced(audit, claim) && claim->capacity.count)
            sum += resource == NAME_NODES ? 1 : resources_get(&claim->capacity, resource);
    }
    return sum;
}

static void check_limits(Audit *audit, const NodeClaim *before, const NodeClaim *after) {
    const State *state = world_state(audit->world);
    const Symbols *symbols = world_symbols(audit->world);
    Symbol name = labels_get(&after->meta.labels, NAME_NODEPOOL);
    const NodePool *pool;

    if (name == INDEX_NONE || after->capacity.count == 0 || (before && before->capacity.count))
        return; // no launch
    pool = state_node_pool(state, state_find(state, KUBE_NODE_POOL, SYMBOL_EMPTY, name));
    if (!pool || !pool->has_limits || audit_pool_changed_ns(audit, name) > after->meta.created_ns - NS_PER_MIN)
        return; // the limits may be newer than the decision
    for (uint32_t i = 0; i < pool->limits.count; i++) {
        const ResourceAmount *limit = &pool->limits.items[i];
        int64_t sum = capacity_of_pool(audit, name, limit->resource);

        if (sum > limit->amount)
            audit_violate(audit, AUDIT_LIMITS, "NodePool %.*s has %" PRId64 " of %.*s, its limit is %" PRId64,
                          SLICE_ARG(symbol_text(symbols, name)), sum, SLICE_ARG(symbol_text(symbols, limit->resource)),
                          limit->amount);
    }
}

// --- deletion of claims and nodes

static bool is_finalized(const Audit *audit, const ObjectMeta *meta) {
    Symbol finalizer = symbol_find(world_symbols(audit->world), SLICE("karpenter.sh/termination"));

    for (vec_each(const Symbol, own, &meta->finalizers)) {
        if (*own == finalizer)
            return true;
    }
    return false;
}

static void check_gone(Audit *audit, const ObjectMeta *before, const ObjectMeta *after, Symbol provider_id) {
    uint32_t number = sim_cloud_find_instance(audit->cloud, provider_id);
    const SimInstance *instance = number == UINT32_MAX ? NULL : sim_cloud_instance(audit->cloud, number);

    if (!before || !is_finalized(audit, before) || (after && is_finalized(audit, after)) || !instance)
        return;
    if (instance->state != SIM_INSTANCE_TERMINATED)
        audit_violate(audit, AUDIT_GONE_FIRST, "%.*s loses its finalizer while its instance is %s",
                      SLICE_ARG(symbol_text(world_symbols(audit->world), before->name)),
                      sim_instance_state_text(instance->state));
}

// Checks that a registered Node has the finalizer: without it the Node is removed at once, whatever runs on it.
static void check_guarded(Audit *audit, const Node *before, const Node *after) {
    uint32_t number = before ? sim_cloud_find_instance(audit->cloud, before->provider_id) : UINT32_MAX;

    if (after || number == UINT32_MAX || labels_get(&before->meta.labels, NAME_REGISTERED) == INDEX_NONE ||
        is_finalized(audit, &before->meta))
        return;
    if (sim_cloud_instance(audit->cloud, number)->state == SIM_INSTANCE_RUNNING)
        audit_violate(audit, AUDIT_GONE_FIRST, "node %.*s, which has no finalizer, goes while its instance runs",
                      SLICE_ARG(symbol_text(world_symbols(audit->world), before->meta.name)));
}

// --- pods

static void note_volumes_left(Audit *audit, const Pod *gone) {
    if (audit_holds_drain(audit, gone))
        return;
    for (vec_each(const PodVolume, used, &gone->spec->volumes)) {
        Symbol volume = audit_volume_of(audit, gone, used);

        if (volume != SYMBOL_EMPTY)
            u64_map_put(&audit->arena, &audit->volume_left_s, volume,
                        (uint32_t)(world_now_ns(audit->world) / NS_PER_S));
    }
}

// --- changes

static void look_at_claim(Audit *audit, const NodeClaim *before, const NodeClaim *after) {
    check_gone(audit, before ? &before->meta : NULL, after ? &after->meta : NULL,
               before ? before->provider_id : SYMBOL_EMPTY);
    if (after) {
        check_registered(audit, before, after);
        check_limits(audit, before, after);
    }
    audit_observe_claim(audit, before, after);
}

static void look_at_node(Audit *audit, const Node *before, const Node *after) {
    check_gone(audit, before ? &before->meta : NULL, after ? &after->meta : NULL,
               before ? before->provider_id : SYMBOL_EMPTY);
    check_guarded(audit, before, after);
    if (!after)
        return;
    check_node(audit, before, after);
    audit_observe_node(audit, after);
}

// The removal of an object may be two changes, the first of which removes the finalizer, or one: finalizer and object
// together.
void audit_observe(void *self, const StateChange *change) {
    switch (change->kind) {
    case KUBE_NODE_POOL:
        if (change->after)
            note_pool(self, change->before, change->after);
        return;
    case KUBE_POD:
        if (change->before && !change->after)
            note_volumes_left(self, change->before);
        return;
    case KUBE_POD_DISRUPTION_BUDGET:
        return audit_note_pod_budget(self, change->before, change->after);
    case KUBE_NODE_CLAIM:
        audit_note_claim(self, change->before, change->after);
        return look_at_claim(self, change->before, change->after);
    case KUBE_NODE:
        return look_at_node(self, change->before, change->after);
    default:
        return;
    }
}
