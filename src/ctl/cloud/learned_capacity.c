// providers.instancetype.capacity. What the cloud is not told now it learns from the next Node, or the next start.
#include "ctl/cloud/controllers.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/node_facts.h"

static int64_t memory_of(const Node *node) {
    return resources_get(&node->capacity, NAME_MEMORY);
}

// Whether the Node says something that the cloud can learn.
static bool is_telling(const Node *node) {
    return node && labels_get(&node->meta.labels, NAME_REGISTERED) == NAME_TRUE && memory_of(node) > 0 &&
           node->provider_id != NAME_EMPTY;
}

static void learned_capacity_reconcile(void *self, Turn *turn, Key key) {
    Handle handle = state_find(turn->state, KUBE_NODE, NAME_EMPTY, key.name), claim;
    const Node *node = state_node(turn->state, handle);
    Intent *intent;

    (void)self;
    if (!is_telling(node) || !node_is_managed(node, turn->symbols, turn->settings))
        return;
    claim = state_claim_of_node(turn->state, handle);
    if (handle_eq(claim, HANDLE_NONE))
        return;
    intent = turn_intend(turn, INTENT_LEARN);
    intent->claim = claim;
    intent->memory = memory_of(node);
}

static void learned_capacity_observe(void *self, Turn *turn, const StateChange *change) {
    const Node *before = change->before, *after = change->after;

    (void)self;
    if (change->kind != KUBE_NODE || !cloud_wants_to_learn(turn->cloud) || !is_telling(after))
        return;
    if (!before || before->meta.uid != after->meta.uid || !is_telling(before))
        turn_enqueue(turn, &learned_capacity_controller, (Key){.name = change->name}, 0);
}

static void learned_capacity_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    (void)self, (void)key;
    claim_log_failure(turn, &completions[count - 1]);
}

const Controller learned_capacity_controller = {
    .name = "providers.instancetype.capacity",
    .observe = learned_capacity_observe,
    .reconcile = learned_capacity_reconcile,
    .complete = learned_capacity_complete,
};
