// nodepool.validation: condition ValidationSucceeded. Reference lifecycle.md 5.5, scheduling.md 1.2.
//
// The rules are in model/validate/validate.h. Pools that violate the CRD's schema or CEL rules do not come here: they
// are refused when they are decoded, whatever the CRDs of the cluster say.
#include "ctl/common/conditions.h"
#include "ctl/common/pool_facts.h"
#include "ctl/pool/controllers.h"

#include "model/validate/validate.h"

static void pool_validation_observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    if (change->kind == KUBE_NODE_POOL && change->after)
        turn_enqueue(turn, &pool_validation_controller, (Key){.name = change->name}, 0);
}

static void pool_validation_reconcile(void *self, Turn *turn, Key key) {
    const NodePool *pool = state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, key.name));
    Conditions conditions;
    Slice complaint;

    (void)self;
    if (!pool || !pool_is_managed(pool, turn->symbols, turn->settings))
        return;
    complaint = node_pool_complaint(turn->arena, turn->symbols, pool);
    conditions = conditions_open(turn, &pool_condition_rules, &pool->meta, &pool->conditions);
    if (complaint.len)
        conditions_set_false(&conditions, "ValidationSucceeded", "NodePoolValidationFailed", complaint);
    else
        conditions_set_true(&conditions, "ValidationSucceeded");
    if (conditions.changed)
        turn_patch(turn, KUBE_NODE_POOL, NAME_EMPTY, key.name, KUBE_STATUS, conditions_patch(&conditions),
                   pool->meta.revision);
}

const Controller pool_validation_controller = {
    .name = "nodepool.validation",
    .observe = pool_validation_observe,
    .reconcile = pool_validation_reconcile,
};
