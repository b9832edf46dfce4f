// Nodes and NodeClaims, merged as a planner must see them. Behaviour: scheduling.md 7.2, 1.6.
//
// Taints of a registered node that will be removed until it is initialized do not count; a NodeClaim without a Node has
// a name, labels and room already.
#include "checker/read.h"

static bool is_true(const Value *labels, const char *key) {
    return slice_eq_text(judge_read_text(labels, key), "true");
}

static bool is_ephemeral(const World *world, const Taint *taint) {
    Slice key = judge_text(world, taint->key);

    if (slice_starts_with(key, SLICE("readiness.k8s.io/")))
        return true;
    if (slice_eq_text(key, "node.kubernetes.io/not-ready"))
        return taint->effect == EFFECT_NO_SCHEDULE || taint->effect == EFFECT_NO_EXECUTE;
    if (slice_eq_text(key, "node.kubernetes.io/unreachable") ||
        slice_eq_text(key, "node.cloudprovider.kubernetes.io/uninitialized"))
        return taint->effect == EFFECT_NO_SCHEDULE;
    return slice_eq_text(key, "karpenter.sh/unregistered") && taint->effect == EFFECT_NO_EXECUTE;
}

static bool has_taint(const TaintVec *taints, const Taint *taint) {
    for (vec_each(Taint, other, taints)) {
        if (other->key == taint->key && other->effect == taint->effect)
            return true;
    }
    return false;
}

static void set_taints(World *world, const TaintVec *taints, const TaintVec *startup, bool initialized, Node *node) {
    for (vec_each(Taint, taint, taints)) {
        if (initialized || (!is_ephemeral(world, taint) && !has_taint(startup, taint)))
            vec_push(world->arena, &node->taints, *taint);
    }
}

static void set_labels(World *world, const Value *labels, Node *node) {
    Symbol hostname = judge_symbol(world, "kubernetes.io/hostname");

    node->labels = judge_read_labels(world, labels);
    if (judge_label_get(&node->labels, hostname) == INDEX_NONE)
        vec_push(world->arena, &node->labels, (Label){hostname, node->name});
    for (vec_each(Label, label, &node->labels))
        vec_push(world->arena, &node->states, (KeyStates){label->key, judge_states_value(world->arena, label->value)});
    for (vec_each(Label, label, &node->labels)) {
        Symbol key = judge_read_key(world, judge_text(world, label->key));

        if (!judge_table_get(&node->states, key))
            vec_push(world->arena, &node->states, (KeyStates){key, judge_states_value(world->arena, label->value)});
    }
    node->pool = judge_label_get(&node->labels, judge_symbol(world, "karpenter.sh/nodepool"));
    if (node->pool == INDEX_NONE)
        node->pool = SYMBOL_EMPTY;
}

// Zero amounts of a new node are replaced by those of its NodeClaim.
static ErrCode fill_amounts(World *world, const Value *claim_status, const char *member, Amounts *amounts, Err *err) {
    Amounts promised;

    TRY(judge_read_amounts(world, claim_status ? value_get(claim_status, slice_of(member)) : NULL, &promised, err));
    for (uint32_t i = 0; i < world->resources.count; i++) {
        if (amounts->of[i] == 0)
            amounts->of[i] = promised.of[i];
    }
    amounts->present |= promised.present;
    return OK;
}

static void set_volume_limits(World *world, const Objects *objects, Node *node) {
    for (uint32_t i = 0; i < objects->csi_nodes.count; i++) {
        const Value *object = objects->csi_nodes.items[i];
        const Value *list = judge_read_list(value_get_text(object, "spec"), "drivers");

        if (judge_read_symbol(world, value_get_text(object, "metadata"), "name") != node->name)
            continue;
        for (uint32_t k = 0; k < judge_read_count(list); k++) {
            const Value *item = &list->list.items[k], *allocatable = value_get_text(item, "allocatable");

            if (allocatable && allocatable->kind == VALUE_MAP)
                vec_push(world->arena, &node->volume_limits,
                         (VolumeLimit){judge_read_symbol(world, item, "name"),
                                       judge_read_int(allocatable, "count", INT64_MAX)});
        }
    }
}

static const Value *claim_of_node(const Objects *objects, const Value *node) {
    Slice provider = judge_read_text(value_get_text(node, "spec"), "providerID");

    for (uint32_t i = 0; provider.len && i < objects->node_claims.count; i++) {
        const Value *claim = objects->node_claims.items[i];

        if (slice_eq(judge_read_text(value_get_text(claim, "status"), "providerID"), provider))
            return claim;
    }
    return NULL;
}

static const Value *node_of_claim(const Objects *objects, const Value *claim) {
    for (uint32_t i = 0; i < objects->nodes.count; i++) {
        if (claim_of_node(objects, objects->nodes.items[i]) == claim)
            return objects->nodes.items[i];
    }
    return NULL;
}

static bool is_claim_deleting(const Value *claim) {
    Slice status, reason;

    return judge_read_has(value_get_text(claim, "metadata"), "deletionTimestamp") ||
           (judge_read_condition(value_get_text(claim, "status"), "InstanceTerminating", &status, &reason) &&
            slice_eq_text(status, "True"));
}

// One of `object` (a Node) and `claim` (a NodeClaim) may be NULL.
static ErrCode add_node(World *world, const Objects *objects, const Value *object, const Value *claim, Err *err) {
    const Value *metadata = object ? value_get_text(object, "metadata") : NULL;
    const Value *spec = object ? value_get_text(object, "spec") : NULL;
    const Value *status = object ? value_get_text(object, "status") : NULL;
    const Value *claim_metadata = claim ? value_get_text(claim, "metadata") : NULL;
    const Value *claim_spec = claim ? value_get_text(claim, "spec") : NULL;
    const Value *claim_status = claim ? value_get_text(claim, "status") : NULL;
    const Value *labels = metadata ? value_get_text(metadata, "labels") : NULL;
    bool registered = object && (!claim || is_true(labels, "karpenter.sh/registered"));
    bool initialized = object && (!claim || (registered && is_true(labels, "karpenter.sh/initialized")));
    TaintVec taints = judge_read_taints(world, judge_read_list(registered ? spec : claim_spec, "taints"));
    TaintVec startup = judge_read_taints(world, judge_read_list(claim_spec, "startupTaints"));
    Taint cordon = {judge_symbol(world, "node.kubernetes.io/unschedulable"), SYMBOL_EMPTY, EFFECT_NO_SCHEDULE};
    Node node = {.name = judge_read_symbol(world, metadata ? metadata : claim_metadata, "name")};

    if (registered && judge_read_bool(spec, "unschedulable") && !has_taint(&taints, &cordon))
        vec_push(world->arena, &taints, cordon);
    set_taints(world, &taints, &startup, initialized, &node);
    set_labels(world, registered ? labels : claim_metadata ? value_get_text(claim_metadata, "labels") : NULL, &node);
    TRY(judge_read_amounts(world, status ? value_get_text(status, "capacity") : NULL, &node.capacity, err));
    TRY(judge_read_amounts(world, status ? value_get_text(status, "allocatable") : NULL, &node.allocatable, err));
    if (!initialized) {
        TRY(fill_amounts(world, claim_status, "capacity", &node.capacity, err));
        TRY(fill_amounts(world, claim_status, "allocatable", &node.allocatable, err));
    }
    node.capacity.of[RESOURCE_NODES] = 1;
    node.is_deleting = claim ? is_claim_deleting(claim) : judge_read_has(metadata, "deletionTimestamp");
    node.is_unlaunched = !object && judge_read_text(claim_status, "providerID").len == 0;
    set_volume_limits(world, objects, &node);
    u64_map_put(world->arena, &world->node_index, node.name, world->nodes.count);
    if (claim) // the plan may use either name
        u64_map_put(world->arena, &world->node_index, judge_read_symbol(world, claim_metadata, "name"),
                    world->nodes.count);
    vec_push(world->arena, &world->nodes, node);
    return OK;
}

ErrCode judge_read_nodes(World *world, const Objects *objects, Err *err) {
    for (uint32_t i = 0; i < objects->nodes.count; i++)
        TRY(add_node(world, objects, objects->nodes.items[i], claim_of_node(objects, objects->nodes.items[i]), err));
    for (uint32_t i = 0; i < objects->node_claims.count; i++) {
        if (!node_of_claim(objects, objects->node_claims.items[i]))
            TRY(add_node(world, objects, NULL, objects->node_claims.items[i], err));
    }
    return OK;
}
