// Instances without NodeClaim.
#include "ctl/instance_collection.h"

#include <stdlib.h>

static const int64_t SECOND = 1000000000;

enum { YOUNG_S = 30, FIRST_PASSES = 20, FIRST_PERIOD_S = 10, PERIOD_S = 120 };

typedef struct {
    uint32_t passes; // that succeeded
} Collection;

static void *make(const Settings *settings) {
    (void)settings;
    return calloc(1, sizeof(Collection));
}

static void start(void *self, Turn *turn) {
    (void)self;
    turn_enqueue(turn, &instance_collection_controller, (Key){0}, 0);
}

static void reconcile(void *self, Turn *turn, Key key) {
    (void)self, (void)key;
    turn_intend(turn, INTENT_LIST_INSTANCES);
}

static bool has_claim(const Turn *turn, const CloudInstance *instance) {
    const NodeClaim *claim =
        state_node_claim(turn->state, state_find(turn->state, KUBE_NODE_CLAIM, SYMBOL_EMPTY, instance->claim_name));

    return state_claims_with_provider_id(turn->state, instance->provider_id)->count > 0 ||
           (claim && claim->provider_id == SYMBOL_EMPTY);
}

static void collect(Turn *turn, const CloudInstance *instance) {
    Slice id = symbol_text(turn->symbols, instance->provider_id);
    Intent *intent = turn_intend(turn, INTENT_TERMINATE);

    intent->aside = true;
    intent->provider_id = instance->provider_id;
    turn_log(turn, LOG_INFO, "garbage collected cloudprovider instance", "provider-id", id, NULL);
    for (vec_each(const Handle, handle, state_nodes_with_provider_id(turn->state, instance->provider_id))) {
        const Node *node = state_node(turn->state, *handle);

        turn_remove(turn, KUBE_NODE, &node->meta);
        vec_last(turn->intents)->aside = true;
    }
}

static void complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    Collection *collection = self;

    if (count != 1 || completions->type != INTENT_LIST_INSTANCES)
        return; // what became of an instance shows in the next list
    if (completions->code != OK) {
        turn_retry(turn, key);
        return;
    }
    for (vec_each(const CloudInstance, instance, completions->instances)) {
        if (!instance->terminating && turn->now_ns - instance->launched_ns > YOUNG_S * SECOND &&
            !has_claim(turn, instance))
            collect(turn, instance);
    }
    turn_succeed(turn, key);
    collection->passes++;
    turn_again(turn, key, (collection->passes < FIRST_PASSES ? FIRST_PERIOD_S : PERIOD_S) * SECOND);
}

const Controller instance_collection_controller = {
    .name = "instance.garbagecollection",
    .make = make,
    .free = free,
    .start = start,
    .reconcile = reconcile,
    .complete = complete,
    .backoff_first_ns = INT64_C(1000000000),
    .backoff_max_ns = INT64_C(60) * 1000000000,
};
