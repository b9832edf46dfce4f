// instance.garbagecollection: compares the cloud's list of instances with the NodeClaims.
//
// The list is older than the State that it is compared with, so a listed instance without a claim has lost its claim. A
// claim that has the instance's claim name, or names its launch, and no provider id yet is about to record the
// instance: a process that launches may die before it does so.
#include "ctl/claim/orphans.h"

#include "ctl/common/claim_facts.h"
#include "model/pool_name.h"

typedef struct {
    uint32_t rounds;
} ClaimOrphansMemory;

static void claim_orphans_start(void *self, Turn *turn) {
    (void)self;
    turn_enqueue(turn, &claim_orphans_controller, (Key){0}, 0);
}

static void claim_orphans_reconcile(void *self, Turn *turn, Key key) {
    ClaimOrphansMemory *memory = self;
    int64_t period_s = CLAIM_ORPHANS_PERIOD_S;

    if (memory->rounds < CLAIM_ORPHANS_FIRST_ROUNDS)
        period_s = CLAIM_ORPHANS_FIRST_PERIOD_S;
    turn_intend(turn, INTENT_LIST_INSTANCES);
    turn_again(turn, key, period_s * NS_PER_S);
}

// Whether a claim without an instance names the launch. O(claims).
static bool is_awaited(const Turn *turn, Symbol launch) {
    Symbol key = symbol_find(turn->symbols, SLICE(CLOUD_LAUNCH_RECORD));
    Slice token = symbol_text(turn->symbols, launch);

    if (launch == NAME_EMPTY || key == INDEX_NONE)
        return false;
    for (Handle at = state_next(turn->state, KUBE_NODE_CLAIM, HANDLE_NONE); !handle_eq(at, HANDLE_NONE);
         at = state_next(turn->state, KUBE_NODE_CLAIM, at)) {
        const NodeClaim *claim = state_node_claim(turn->state, at);
        Symbol record = claim->provider_id == NAME_EMPTY ? labels_get(&claim->meta.annotations, key) : INDEX_NONE;
        Slice text = record == INDEX_NONE ? (Slice){0} : symbol_text(turn->symbols, record);

        if (text.len > token.len && slice_starts_with(text, token) && text.ptr[token.len] == '/')
            return true;
    }
    return false;
}

// Whether the instance is of a Machine, and Machines cannot be listed.
static bool is_hidden(const Turn *turn, const CloudInstance *instance) {
    const atomic_bool *hidden = turn->settings->machines_are_hidden;

    return hidden && atomic_load(hidden) &&
           slice_starts_with(symbol_text(turn->symbols, instance->claim_name), SLICE(MACHINE_PREFIX));
}

static bool is_orphan(const Turn *turn, const CloudInstance *instance) {
    const NodeClaim *claim;

    if (instance->terminating || turn->wall_ns - instance->launched_ns < CLAIM_ORPHANS_AGE_S * NS_PER_S ||
        state_claims_with_provider_id(turn->state, instance->provider_id)->count)
        return false;
    claim = state_node_claim(turn->state, state_find(turn->state, KUBE_NODE_CLAIM, NAME_EMPTY, instance->claim_name));
    return (!claim || claim->provider_id != NAME_EMPTY) && !is_awaited(turn, instance->launch);
}

// Terminates the instance and deletes its Node. Separate intents: a failure must not stop the others.
static void end(Turn *turn, const CloudInstance *instance) {
    Intent *intent;

    turn_log(turn, LOG_DEBUG, "garbage collecting instance with no nodeclaim", "provider-id",
             symbol_text(turn->symbols, instance->provider_id), NULL);
    intent = turn_intend(turn, INTENT_TERMINATE);
    intent->provider_id = instance->provider_id;
    intent->aside = true;
    for (vec_each(const Handle, node, state_nodes_with_provider_id(turn->state, instance->provider_id))) {
        turn_remove(turn, KUBE_NODE, &state_node(turn->state, *node)->meta);
        vec_last(turn->intents)->aside = true;
    }
}

static void claim_orphans_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    const Completion *last = &completions[count - 1];
    uint32_t hidden = 0;

    if (last->type != INTENT_LIST_INSTANCES)
        return claim_log_failure(turn, last); // the next round tries again
    if (last->code != OK)
        return claim_settle(turn, key, last);
    ((ClaimOrphansMemory *)self)->rounds++;
    turn_succeed(turn, key);
    for (vec_each(const CloudInstance, instance, last->instances)) {
        if (!is_orphan(turn, instance))
            continue;
        if (is_hidden(turn, instance))
            hidden++;
        else
            end(turn, instance);
    }
    if (hidden)
        turn_log(turn, LOG_WARN,
                 "leaving instances of Machines alone: tenon may not list Machines (legacy.enabled of the chart)",
                 "instances", arena_printf(turn->arena, "%u", hidden), NULL);
}

const Controller claim_orphans_controller = {
    .name = "instance.garbagecollection",
    .memory_size = sizeof(ClaimOrphansMemory),
    .start = claim_orphans_start,
    .reconcile = claim_orphans_reconcile,
    .complete = claim_orphans_complete,
    .backoff_first_ns = NS_PER_S,
    .backoff_max_ns = 2 * NS_PER_MIN,
};
