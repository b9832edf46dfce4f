// Cluster: initialization and release; conditions.
#include "model/objects.h"

#include "model/manifest/state.h"

void cluster_init(Cluster *cluster) {
    *cluster = (Cluster){0};
    names_init(&cluster->symbols);
}

void cluster_free(Cluster *cluster) {
    manifest_state_free(cluster);
    arena_free(&cluster->arena);
    symbols_free(&cluster->symbols);
    *cluster = (Cluster){0};
}

const Condition *condition_get(const ConditionVec *conditions, const Symbols *symbols, Slice type) {
    for (vec_each(const Condition, condition, conditions)) {
        if (slice_eq(symbol_text(symbols, condition->type), type))
            return condition;
    }
    return NULL;
}

bool condition_is_true(const ConditionVec *conditions, const Symbols *symbols, Slice type) {
    const Condition *condition = condition_get(conditions, symbols, type);

    return condition && slice_eq_text(symbol_text(symbols, condition->status), "True");
}

bool claim_is_rebooting(const NodeClaim *claim, const Symbols *symbols) {
    return condition_is_true(&claim->conditions, symbols, SLICE("Rebooting"));
}

bool node_is_ready(const Node *node, const Symbols *symbols) {
    return condition_is_true(&node->conditions, symbols, SLICE("Ready"));
}
