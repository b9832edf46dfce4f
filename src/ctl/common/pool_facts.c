// Facts about NodePools.
#include "ctl/common/pool_facts.h"

bool pool_is_managed(const NodePool *pool, const Symbols *symbols, const Settings *settings) {
    const NodeClassRef *ref = &pool->template_spec.node_class;

    return slice_eq(symbol_text(symbols, ref->group), settings->node_class_group) &&
           slice_eq(symbol_text(symbols, ref->kind), settings->node_class_kind);
}

bool pool_is_ready(const NodePool *pool, const Symbols *symbols) {
    return condition_is_true(&pool->conditions, symbols, SLICE("Ready"));
}

const NodePool *pool_of_claim(const State *state, const NodeClaim *claim) {
    Symbol name = labels_get(&claim->meta.labels, NAME_NODEPOOL);

    if (name == INDEX_NONE)
        return NULL;
    return state_node_pool(state, state_find(state, KUBE_NODE_POOL, NAME_EMPTY, name));
}

bool pool_is_node_class(KubeKind kind) {
    return kind == KUBE_EC2_NODE_CLASS || kind == KUBE_KWOK_NODE_CLASS;
}

bool pool_node_class(const State *state, const NodePool *pool, PoolNodeClass *ret_class) {
    const NodeClassRef *ref = &pool->template_spec.node_class;
    Slice kind = symbol_text(state_symbols(state), ref->kind);

    if (slice_eq_text(kind, "EC2NodeClass")) {
        const EC2NodeClass *class =
            state_ec2_node_class(state, state_find(state, KUBE_EC2_NODE_CLASS, NAME_EMPTY, ref->name));

        *ret_class = class ? (PoolNodeClass){&class->meta, &class->conditions} : (PoolNodeClass){0};
    } else if (slice_eq_text(kind, "KWOKNodeClass")) {
        const KWOKNodeClass *class =
            state_kwok_node_class(state, state_find(state, KUBE_KWOK_NODE_CLASS, NAME_EMPTY, ref->name));

        *ret_class = class ? (PoolNodeClass){&class->meta, &class->conditions} : (PoolNodeClass){0};
    } else {
        *ret_class = (PoolNodeClass){0};
    }
    return ret_class->meta != NULL;
}
