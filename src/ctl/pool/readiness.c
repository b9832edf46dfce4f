// nodepool.readiness: condition NodeClassReady, from the pool's NodeClass. Reference lifecycle.md 5.3.
#include "ctl/common/conditions.h"
#include "ctl/common/pool_facts.h"
#include "ctl/pool/controllers.h"

static void ask_pools_of_class(Turn *turn, Symbol class) {
    for (Handle handle = state_next(turn->state, KUBE_NODE_POOL, HANDLE_NONE); handle.generation;
         handle = state_next(turn->state, KUBE_NODE_POOL, handle)) {
        const NodePool *pool = state_node_pool(turn->state, handle);

        if (pool->template_spec.node_class.name == class)
            turn_enqueue(turn, &pool_readiness_controller, (Key){.name = pool->meta.name}, 0);
    }
}

static void pool_readiness_observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    if (change->kind == KUBE_NODE_POOL && change->after)
        turn_enqueue(turn, &pool_readiness_controller, (Key){.name = change->name}, 0);
    if (class_is_kind(change->kind))
        ask_pools_of_class(turn, change->name);
}

static void set_from_class(const Turn *turn, Conditions *conditions, const ClassFacts *class) {
    static const char *const type = "NodeClassReady";
    const Condition *ready;
    Slice status;

    if (!class->meta) {
        conditions_set_false(conditions, type, "NodeClassNotFound", SLICE("NodeClass not found on cluster"));
        return;
    }
    if (class->meta->deleting) {
        conditions_set_false(conditions, type, "NodeClassTerminating", SLICE("NodeClass is Terminating"));
        return;
    }
    ready = condition_get(class->conditions, turn->symbols, SLICE(CONDITION_READY));
    status = ready ? symbol_text(turn->symbols, ready->status) : SLICE("Unknown");
    if (slice_eq_text(status, "True"))
        conditions_set_true(conditions, type);
    else if (slice_eq_text(status, "False"))
        conditions_set_false(conditions, type, arena_text(turn->arena, symbol_text(turn->symbols, ready->reason)),
                             ready->message);
    else
        conditions_set_false(conditions, type, "NodeClassReadinessUnknown", SLICE("Node Class Readiness Unknown"));
}

static void pool_readiness_reconcile(void *self, Turn *turn, Key key) {
    const NodePool *pool = state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, key.name));
    ClassFacts class;
    Conditions conditions;

    (void)self;
    if (!pool || !pool_is_managed(pool, turn->symbols, turn->settings))
        return;
    pool_node_class(turn->state, pool, &class);
    conditions = conditions_open(turn, &pool_condition_rules, &pool->meta, &pool->conditions);
    set_from_class(turn, &conditions, &class);
    if (conditions.changed)
        turn_patch(turn, KUBE_NODE_POOL, NAME_EMPTY, key.name, KUBE_STATUS, conditions_patch(&conditions),
                   pool->meta.revision);
}

const Controller pool_readiness_controller = {
    .name = "nodepool.readiness",
    .observe = pool_readiness_observe,
    .reconcile = pool_readiness_reconcile,
};
