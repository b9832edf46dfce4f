// NodeClaims without instance.
//
// The list of instances is a picture of some moment while it was asked for: only claims that were registered before
// that are judged by it.
#include "ctl/claim_collection.h"

#include "base/map.h"
#include "ctl/claim_facts.h"
#include "ctl/node_facts.h"

static const int64_t PERIOD_NS = CLAIM_COLLECTION_PERIOD_S * INT64_C(1000000000);

typedef struct {
    Arena arena; // this struct
    int64_t asked_ns;
} Memory;

static void *make(const Settings *settings) {
    Arena arena = {0};
    Memory *memory = arena_new(&arena, Memory);

    (void)settings;
    memory->arena = arena;
    return memory;
}

static void forget_all(void *self) {
    Arena arena = ((Memory *)self)->arena;

    arena_free(&arena);
}

static void start(void *self, Turn *turn) {
    (void)self;
    turn_enqueue(turn, &claim_collection_controller, (Key){0}, 0);
}

static void reconcile(void *self, Turn *turn, Key key) {
    ((Memory *)self)->asked_ns = turn->now_ns;
    turn_intend(turn, INTENT_LIST_INSTANCES);
    turn_again(turn, key, PERIOD_NS);
}

// Instances that are going down count as gone.
static IndexMap instances_by_id(Arena *arena, const CloudInstanceVec *instances) {
    IndexMap map = {0};

    for (vec_each(const CloudInstance, instance, instances)) {
        if (!instance->terminating)
            u64_map_put(arena, &map, instance->provider_id, 0);
    }
    return map;
}

// A kubelet that still reports is a better witness than the list.
static bool has_ready_node(const Turn *turn, const NodeClaim *claim) {
    for (vec_each(const Handle, handle, state_nodes_with_provider_id(turn->state, claim->provider_id))) {
        if (node_is_ready(state_node(turn->state, *handle), turn->symbols))
            return true;
    }
    return false;
}

static bool has_vanished(const Memory *memory, const Turn *turn, const NodeClaim *claim, const IndexMap *instances) {
    const Condition *registered = condition_get(&claim->conditions, turn->symbols, SLICE("Registered"));

    if (!claim_is_managed(claim, turn->symbols, turn->settings) || claim->meta.deleting ||
        claim->provider_id == NAME_EMPTY || !claim_is(claim, turn->symbols, "Registered"))
        return false;
    return registered->transition_ns <= memory->asked_ns && u64_map_get(instances, claim->provider_id) == INDEX_NONE &&
           !has_ready_node(turn, claim);
}

static void collect(Turn *turn, const NodeClaim *claim) {
    turn_log(turn, LOG_DEBUG, "garbage collecting nodeclaim with no cloudprovider representation", "NodeClaim",
             symbol_text(turn->symbols, claim->meta.name), "Node", symbol_text(turn->symbols, claim->node_name),
             "provider-id", symbol_text(turn->symbols, claim->provider_id), NULL);
    turn_remove(turn, KUBE_NODE_CLAIM, &claim->meta);
    vec_last(turn->intents)->aside = true; // one that fails stops no other; next time is soon enough
}

static void complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    const Completion *last = &completions[count - 1];
    IndexMap instances;

    if (last->type != INTENT_LIST_INSTANCES)
        return;
    if (last->code != OK)
        return claim_settle(turn, key, last);
    turn_succeed(turn, key);
    instances = instances_by_id(turn->arena, last->instances);
    for (Handle at = state_next(turn->state, KUBE_NODE_CLAIM, HANDLE_NONE); !handle_eq(at, HANDLE_NONE);
         at = state_next(turn->state, KUBE_NODE_CLAIM, at)) {
        const NodeClaim *claim = state_node_claim(turn->state, at);

        if (has_vanished(self, turn, claim, &instances))
            collect(turn, claim);
    }
}

const Controller claim_collection_controller = {
    .name = "nodeclaim.garbagecollection",
    .make = make,
    .free = forget_all,
    .start = start,
    .reconcile = reconcile,
    .complete = complete,
    .backoff_first_ns = INT64_C(1000000000),
    .backoff_max_ns = INT64_C(120000000000),
};
