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

bool pool_node_class(const State *state, const NodePool *pool, ClassFacts *ret_class) {
    const NodeClassRef *ref = &pool->template_spec.node_class;

    return class_get(state, class_kind_find(symbol_text(state_symbols(state), ref->kind)), ref->name, ret_class);
}
