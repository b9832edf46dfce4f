// Registration of a NodeClaim: the Node that joined gets the labels and taints of its claim. Behaviour: reference
// lifecycle.md 2.4.
//
// The Node is written once, in one patch: labels, annotations and taints of the claim, finalizer and owner are added,
// and the unregistered taint is removed. A Node that has all of that is never patched again, so that a startup taint
// that was removed meanwhile does not come back. The Node of a linked claim runs already: it keeps its labels and
// taints.
#include "ctl/claim/registration.h"

#include "ctl/common/node_facts.h"
#include "text/value_edit.h"

static bool has_taint(const TaintVec *taints, Symbol key, TaintEffect effect) {
    for (vec_each(const Taint, taint, taints)) {
        if (taint->key == key && taint->effect == effect)
            return true;
    }
    return false;
}

static bool is_owned(const Node *node, const NodeClaim *claim) {
    for (vec_each(const OwnerReference, owner, &node->meta.owners)) {
        if (owner->uid == claim->meta.uid)
            return true;
    }
    return false;
}

static bool is_unregistered(const Node *node) {
    return has_taint(&node->taints, NAME_UNREGISTERED, EFFECT_NO_EXECUTE);
}

static bool has_registered_label(const Node *node) {
    return labels_get(&node->meta.labels, NAME_REGISTERED) == NAME_TRUE;
}

static bool is_linked(const ClaimPass *pass) {
    return claim_linked(pass->claim, pass->turn->symbols) != NAME_EMPTY;
}

// --- the patch

static void put_labels(Turn *turn, Value *map, const Labels *labels) {
    for (vec_each(const Label, label, labels))
        value_put(turn->arena, map, symbol_text(turn->symbols, label->key),
                  value_string(symbol_text(turn->symbols, label->value)));
}

static void put_metadata(ClaimPass *pass, Value *meta) {
    Turn *turn = pass->turn;
    const KubeKindInfo *kind = kube_kind(KUBE_NODE_CLAIM);
    Value *labels = value_put(turn->arena, meta, SLICE("labels"), value_map()), *owner;

    if (!is_linked(pass))
        put_labels(turn, labels, &pass->claim->meta.labels);
    value_put(turn->arena, labels, symbol_text(turn->symbols, NAME_REGISTERED), value_string(SLICE("true")));
    put_labels(turn, value_put(turn->arena, meta, SLICE("annotations"), value_map()), &pass->claim->meta.annotations);
    value_append(turn->arena, value_put(turn->arena, meta, SLICE("finalizers"), value_list()),
                 value_string(node_finalizer));
    owner =
        value_append(turn->arena, value_put(turn->arena, meta, SLICE("ownerReferences"), value_list()), value_map());
    value_put(turn->arena, owner, SLICE("apiVersion"), value_string(kind->api_version));
    value_put(turn->arena, owner, SLICE("kind"), value_string(kind->kind));
    value_put(turn->arena, owner, SLICE("name"), value_string(symbol_text(turn->symbols, pass->claim->meta.name)));
    value_put(turn->arena, owner, SLICE("uid"), value_string(symbol_text(turn->symbols, pass->claim->meta.uid)));
    value_put(turn->arena, owner, SLICE("blockOwnerDeletion"), value_bool(true));
}

static void add_taints(Arena *arena, TaintVec *taints, const TaintVec *from) {
    for (vec_each(const Taint, taint, from)) {
        if (!has_taint(taints, taint->key, taint->effect))
            vec_push(arena, taints, *taint);
    }
}

static bool takes_taints(const ClaimPass *pass, const Node *node) {
    Symbol key = symbol_find(pass->turn->symbols, SLICE("karpenter.sh/do-not-sync-taints"));

    return !is_linked(pass) && (key == INDEX_NONE || labels_get(&node->meta.labels, key) != NAME_TRUE);
}

static void put_taints(ClaimPass *pass, const Node *node, Value *body) {
    Turn *turn = pass->turn;
    TaintVec taints = {0};
    Value *list;

    for (vec_each(const Taint, taint, &node->taints)) {
        if (taint->key != NAME_UNREGISTERED || taint->effect != EFFECT_NO_EXECUTE)
            vec_push(turn->arena, &taints, *taint);
    }
    if (takes_taints(pass, node)) {
        add_taints(turn->arena, &taints, &pass->claim->spec.taints);
        add_taints(turn->arena, &taints, &pass->claim->spec.startup_taints);
    }
    if (taints.count == node->taints.count && !is_unregistered(node))
        return; // already registered
    list = value_put(turn->arena, value_make(turn->arena, body, "spec", NULL), SLICE("taints"), value_list());
    for (vec_each(const Taint, taint, &taints)) {
        Value *value = value_append(turn->arena, list, value_map());

        value_put(turn->arena, value, SLICE("key"), value_string(symbol_text(turn->symbols, taint->key)));
        if (taint->value != NAME_EMPTY)
            value_put(turn->arena, value, SLICE("value"), value_string(symbol_text(turn->symbols, taint->value)));
        value_put(turn->arena, value, SLICE("effect"), value_string(slice_of(taint_effect_text(taint->effect))));
    }
}

// A strategic merge patch keeps finalizers and owners that others have added.
static void patch_node(ClaimPass *pass, const Node *node) {
    Turn *turn = pass->turn;
    Value *body = arena_new(turn->arena, Value);

    *body = value_map();
    put_metadata(pass, value_make(turn->arena, body, "metadata", NULL));
    put_taints(pass, node, body);
    turn_patch(turn, KUBE_NODE, NAME_EMPTY, node->meta.name, KUBE_OBJECT, body, node->meta.revision);
    vec_last(turn->intents)->patch.type = KUBE_PATCH_STRATEGIC;
}

// --- the step

static void tell_missing_taint(ClaimPass *pass) {
    Turn *turn = pass->turn;

    if (!claim_pass_tell(pass, TOLD_TAINT))
        return;
    turn_log(turn, LOG_ERROR, "node claim registration error", "NodeClaim", symbol_text(turn->symbols, pass->key.name),
             "taint", symbol_text(turn->symbols, NAME_UNREGISTERED), NULL);
    claim_pass_event(pass, "UnregisteredTaintMissing",
                     SLICE("Missing karpenter.sh/unregistered taint which prevents registration related race "
                           "conditions on Karpenter-managed nodes"));
}

static void register_node(ClaimPass *pass, const Node *node) {
    Turn *turn = pass->turn;

    if (is_unregistered(node) || !has_registered_label(node) || !is_owned(node, pass->claim)) {
        if (!is_unregistered(node) && !has_registered_label(node) && !is_linked(pass))
            tell_missing_taint(pass);
        patch_node(pass, node);
    }
    conditions_set_true(&pass->conditions, "Registered");
    pass->node_name = node->meta.name;
    if (claim_pass_tell(pass, TOLD_REGISTERED))
        turn_log(turn, claim_pass_joined_level(pass), "registered nodeclaim", "NodeClaim",
                 symbol_text(turn->symbols, pass->key.name), "provider-id",
                 symbol_text(turn->symbols, pass->provider_id), "Node", symbol_text(turn->symbols, node->meta.name),
                 NULL);
}

void claim_register(ClaimPass *pass) {
    static const HandleVec none = {0};
    const HandleVec *nodes = &none;
    const Node *node;

    if (!conditions_is_unknown(&pass->conditions, "Registered"))
        return;
    if (pass->claim->provider_id != NAME_EMPTY) // as the API server knows it: not before the launch is stored
        nodes = state_nodes_with_provider_id(pass->turn->state, pass->claim->provider_id);
    if (nodes->count > 1) {
        conditions_set_false(&pass->conditions, "Registered", "MultipleNodesFound",
                             SLICE("Invariant violated, matched multiple nodes"));
        return;
    }
    node = nodes->count ? state_node(pass->turn->state, nodes->items[0]) : NULL;
    if (!node || node->meta.deleting) // a deleting Node accepts no new finalizer
        conditions_set_unknown(&pass->conditions, "Registered", "NodeNotFound",
                               SLICE("Node not registered with cluster"));
    else
        register_node(pass, node);
}
