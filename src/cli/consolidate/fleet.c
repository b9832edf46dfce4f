// From manifests to facts.
#include "cli/consolidate/fleet.h"

static Condition *find_condition(Loaded *loaded, ConditionVec *conditions, Symbol type) {
    for (vec_each(Condition, condition, conditions)) {
        if (condition->type == type)
            return condition;
    }
    return vec_add(&loaded->cluster.arena, conditions);
}

void fleet_set_condition(Loaded *loaded, ConditionVec *conditions, const char *type) {
    Symbol symbol = symbol_intern(&loaded->cluster.symbols, slice_of(type));
    Condition *condition = find_condition(loaded, conditions, symbol);

    condition->type = symbol;
    condition->status = symbol_intern(&loaded->cluster.symbols, SLICE("True"));
    condition->transition_ns = 0; // long ago
}

// Whether the cluster's controller would set Consolidatable in the end.
static bool gets_quiet(const Cluster *cluster, const NodeClaim *claim) {
    Symbol name = labels_get(&claim->meta.labels, NAME_NODEPOOL);

    for (vec_each(const NodePool, pool, &cluster->node_pools)) {
        if (pool->meta.name == name)
            return !pool->is_static && pool->disruption.consolidate_after_ns != DURATION_NEVER;
    }
    return false;
}

static void assume_quiet(Loaded *loaded, NodeClaim *claim, FleetAssumptions *assumptions) {
    const Symbols *symbols = &loaded->cluster.symbols;

    if (!gets_quiet(&loaded->cluster, claim))
        return;
    assumptions->quiet += !condition_is_true(&claim->conditions, symbols, SLICE("Consolidatable"));
    fleet_set_condition(loaded, &claim->conditions, "Consolidatable");
    claim->last_pod_event_ns = 0;
    if (condition_is_true(&claim->conditions, symbols, SLICE("Initialized")))
        fleet_set_condition(loaded, &claim->conditions, "Initialized");
}

FleetAssumptions fleet_assume(Loaded *loaded, bool lifts_budgets) {
    FleetAssumptions assumptions = {0};

    for (vec_each(NodeClaim, claim, &loaded->cluster.node_claims)) {
        assume_quiet(loaded, claim, &assumptions);
        assumptions.drifted += condition_is_true(&claim->conditions, &loaded->cluster.symbols, SLICE("Drifted"));
    }
    for (vec_each(NodePool, pool, &loaded->cluster.node_pools)) {
        if (lifts_budgets)
            pool->disruption.budgets = (PoolBudgetVec){0};
    }
    for (vec_each(const PlanPool, pool, &loaded->managed))
        assumptions.without_type += !pool->types->count;
    for (vec_each(const Pod, pod, &loaded->cluster.pods))
        assumptions.pending += pod->node_name == NAME_EMPTY && !pod_is_terminal(pod);
    return assumptions;
}

static NodeViewVec views_of(Arena *arena, Loaded *loaded) {
    PoolTypes *types = arena_array(arena, PoolTypes, loaded->managed.count);

    for (uint32_t i = 0; i < loaded->managed.count; i++)
        types[i] = (PoolTypes){loaded->managed.items[i].pool->meta.name, loaded->managed.items[i].types};
    return node_views_make(arena, &loaded->cluster, types, loaded->managed.count);
}

void fleet_facts(Arena *arena, Loaded *loaded, int64_t now_ns, DisruptFacts *ret_facts) {
    DisruptFacts facts = {.cluster = &loaded->cluster, .pools = loaded->managed, .wall_ns = now_ns};

    for (vec_each(const PlanPool, pool, &loaded->pools)) {
        if (!pool->pool->meta.deleting)
            vec_push(arena, &facts.growing, *pool);
    }
    facts.nodes = views_of(arena, loaded);
    facts.node_bits = arena_array(arena, uint8_t, facts.nodes.count);
    *ret_facts = facts;
}
