// nodeclaim.garbagecollection: compares NodeClaims with the cloud's list of instances.
//
// The list shows the cloud at some moment after it was requested, so only claims that were registered before the
// request are judged by it. An instance that the list does not show is looked up by its id.
#include "ctl/claim/garbage_collection.h"

#include "base/map.h"
#include "ctl/common/claim_facts.h"
#include "ctl/common/node_facts.h"

static const int64_t PERIOD_NS = CLAIM_COLLECTION_PERIOD_S * NS_PER_S;
static const int64_t AGE_NS = CLAIM_COLLECTION_AGE_S * NS_PER_S;

// State of an instance in the list; INDEX_NONE: not in the list.
enum { LIVING, ENDING };

typedef struct {
    int64_t asked_ns;
} ClaimCollectionMemory;

static void claim_collection_start(void *self, Turn *turn) {
    (void)self;
    turn_enqueue(turn, &claim_collection_controller, (Key){0}, 0);
}

static void claim_collection_reconcile(void *self, Turn *turn, Key key) {
    ((ClaimCollectionMemory *)self)->asked_ns = turn->wall_ns;
    turn_intend(turn, INTENT_LIST_INSTANCES);
    turn_again(turn, key, PERIOD_NS);
}

// Terminating instances count as gone.
static IndexMap instances_by_id(Arena *arena, const CloudInstanceVec *instances) {
    IndexMap map = {0};

    for (vec_each(const CloudInstance, instance, instances))
        u64_map_put(arena, &map, instance->provider_id, instance->terminating ? ENDING : LIVING);
    return map;
}

// Whether a Node of the claim is Ready: a kubelet that reports is better evidence than the cloud's list.
static bool has_ready_node(const Turn *turn, const NodeClaim *claim) {
    for (vec_each(const Handle, handle, state_nodes_with_provider_id(turn->state, claim->provider_id))) {
        if (node_is_ready(state_node(turn->state, *handle), turn->symbols))
            return true;
    }
    return false;
}

static bool was_before(const Turn *turn, const NodeClaim *claim, const char *condition, int64_t when_ns) {
    const Condition *found = condition_get(&claim->conditions, turn->symbols, slice_of(condition));

    return claim_is(claim, turn->symbols, condition) && found->transition_ns <= when_ns;
}

// Whether the cloud's answer decides about the claim.
static bool is_doubtful(const ClaimCollectionMemory *memory, const Turn *turn, const NodeClaim *claim) {
    return claim_is_managed(claim, turn->symbols, turn->settings) && !claim->meta.deleting &&
           claim->provider_id != NAME_EMPTY && was_before(turn, claim, "Registered", memory->asked_ns) &&
           was_before(turn, claim, "Launched", memory->asked_ns - AGE_NS) && !has_ready_node(turn, claim);
}

static void collect(Turn *turn, const NodeClaim *claim) {
    turn_log(turn, LOG_DEBUG, "garbage collecting nodeclaim with no cloudprovider representation", "NodeClaim",
             symbol_text(turn->symbols, claim->meta.name), "Node", symbol_text(turn->symbols, claim->node_name),
             "provider-id", symbol_text(turn->symbols, claim->provider_id), NULL);
    turn_remove(turn, KUBE_NODE_CLAIM, &claim->meta);
    vec_last(turn->intents)->aside = true; // a failure must not stop the others; the next round retries
}

// Asks the cloud for the claim's instance; the tag of the answer is the claim's handle.
static void ask_for(Turn *turn, Handle handle, const NodeClaim *claim) {
    Intent *intent = turn_intend(turn, INTENT_GET_INSTANCE);

    intent->provider_id = claim->provider_id;
    intent->tag = (uint64_t)handle.index << 32 | handle.generation;
    intent->aside = true;
}

// Deletes claims whose instances are terminating, and looks up those that are not listed. O(claims + instances).
static void judge(const ClaimCollectionMemory *memory, Turn *turn, const CloudInstanceVec *list) {
    IndexMap instances = instances_by_id(turn->arena, list);

    for (Handle at = state_next(turn->state, KUBE_NODE_CLAIM, HANDLE_NONE); !handle_eq(at, HANDLE_NONE);
         at = state_next(turn->state, KUBE_NODE_CLAIM, at)) {
        const NodeClaim *claim = state_node_claim(turn->state, at);
        uint32_t seen = u64_map_get(&instances, claim->provider_id);

        if (seen == LIVING || !is_doubtful(memory, turn, claim))
            continue;
        if (seen == INDEX_NONE)
            ask_for(turn, at, claim);
        else
            collect(turn, claim);
    }
}

// Deletes the claim when the cloud says that its instance is gone; every other answer leaves it to the next round.
static void take_answer(const ClaimCollectionMemory *memory, Turn *turn, const Completion *answer) {
    Handle handle = {(uint32_t)(answer->tag >> 32), (uint32_t)answer->tag};
    const NodeClaim *claim = state_node_claim(turn->state, handle);
    bool gone = answer->code == ERR_NOT_FOUND || (answer->code == OK && answer->instance->terminating);

    if (gone && claim && is_doubtful(memory, turn, claim))
        collect(turn, claim);
}

static void claim_collection_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    const Completion *last = &completions[count - 1];

    if (last->type == INTENT_GET_INSTANCE)
        take_answer(self, turn, last);
    if (last->type != INTENT_LIST_INSTANCES)
        return claim_log_failure(turn, last);
    claim_settle(turn, key, last);
    if (last->code == OK)
        judge(self, turn, last->instances);
}

const Controller claim_collection_controller = {
    .name = "nodeclaim.garbagecollection",
    .memory_size = sizeof(ClaimCollectionMemory),
    .start = claim_collection_start,
    .reconcile = claim_collection_reconcile,
    .complete = claim_collection_complete,
    .backoff_first_ns = NS_PER_S,
    .backoff_max_ns = INT64_C(120000000000),
};
