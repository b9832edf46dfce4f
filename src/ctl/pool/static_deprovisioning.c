// static.deprovisioning: deletes the NodeClaims that a static pool has too many of. Behaviour: reference lifecycle.md
// 6.1, 0.6.
//
// Order: claims that have not launched, then empty nodes, then nodes without do-not-disrupt pods, then the others; the
// cheapest to disrupt first within each group. Disruption budgets do not apply; draining respects PodDisruptionBudgets
// as always. A claim is marked for deletion when its removal is intended, so that the next call does not choose others
// in its place while the watch lags behind; the mark is removed when the deletion fails.
//
// A command that replaces a drifted node creates the new claim before it marks the old one, so both are active for a
// moment. Such a replacement does not count until then: it would be the first to go.
#include "ctl/common/claim_facts.h"
#include "ctl/common/command_record.h"
#include "ctl/common/pool_facts.h"
#include "ctl/pool/static_capacity.h"
#include "disrupt/cost.h"
#include "model/pod_predicates.h"

#include <stdlib.h>

enum { LOOK_EVERY_S = 60 };

typedef enum { RANK_UNLAUNCHED, RANK_EMPTY, RANK_DISRUPTABLE, RANK_KEPT } Rank;

typedef struct {
    Handle handle;
    const NodeClaim *claim;
    Rank rank;
    double cost;
} Victim;
typedef Vec(Victim) VictimVec;

// A claim that is new, or whose command has ended.
static bool begins_to_count(const Turn *turn, const StateChange *change) {
    const NodeClaim *before = change->before, *after = change->after;
    Record record;

    return after && (!before || (record_of_object(&before->meta, turn->symbols, &record) &&
                                 !record_of_object(&after->meta, turn->symbols, &record)));
}

static void static_deprovisioning_observe(void *self, Turn *turn, const StateChange *change) {
    Symbol pool;

    (void)self;
    if (!turn->settings->gate_static_capacity)
        return;
    if (change->kind == KUBE_NODE_POOL && change->after && ((const NodePool *)change->after)->is_static)
        turn_enqueue(turn, &static_deprovisioning_controller, (Key){.name = change->name}, 0);
    if (change->kind != KUBE_NODE_CLAIM || !begins_to_count(turn, change))
        return;
    pool = labels_get(&((const NodeClaim *)change->after)->meta.labels, NAME_NODEPOOL);
    if (pool != INDEX_NONE)
        turn_enqueue(turn, &static_deprovisioning_controller, (Key){.name = pool}, 0);
}

// --- cost

// Sums the eviction costs of the node's pods, and ranks it: with do-not-disrupt pods, empty (of pods other than those
// of DaemonSets), or disruptable.
static void weigh_pods(Turn *turn, const Node *node, Victim *victim) {
    bool kept = false, empty = true;

    for (vec_each(const Handle, handle, state_pods_on_node(turn->state, node->meta.name))) {
        const Pod *pod = state_pod(turn->state, *handle);

        if (pod_is_terminal(pod))
            continue;
        kept |= !pod_is_disruptable(pod, turn->symbols, turn->wall_ns);
        empty &= pod_is_daemon(pod);
        victim->cost += pod_eviction_cost(pod, turn->symbols, (CostRules){0});
    }
    victim->rank = kept ? RANK_KEPT : empty ? RANK_EMPTY : RANK_DISRUPTABLE;
}

static Victim weigh(Turn *turn, Handle handle) {
    Victim victim = {.handle = handle, .claim = state_node_claim(turn->state, handle)};
    const Node *node = state_node(turn->state, state_node_of_claim(turn->state, handle));

    if (victim.claim->provider_id == NAME_EMPTY)
        return victim;
    victim.rank = RANK_EMPTY;
    if (node)
        weigh_pods(turn, node, &victim);
    victim.cost *= claim_lifetime_left(victim.claim, turn->wall_ns);
    return victim;
}

static int compare_victims(const void *a, const void *b, void *symbols) {
    const Victim *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return symbol_cmp(symbols, x->claim->meta.name, y->claim->meta.name);
}

static VictimVec victims_in_order(Turn *turn, Symbol pool) {
    VictimVec victims = {0};

    for (vec_each(const Handle, handle, state_claims_of_pool(turn->state, pool))) {
        if (!state_claim_is_deleting(turn->state, *handle))
            vec_push(turn->arena, &victims, weigh(turn, *handle));
    }
    if (victims.count)
        qsort_r(victims.items, victims.count, sizeof *victims.items, compare_victims, turn->symbols);
    return victims;
}

// --- replacements

// The commands whose claims are marked: a set of hashes of their uuids.
static IndexMap marked_commands(Turn *turn, Symbol pool) {
    IndexMap commands = {0};
    Record record;

    for (vec_each(const Handle, handle, state_claims_of_pool(turn->state, pool))) {
        const Node *node = claim_node(turn->state, state_node_claim(turn->state, *handle));

        if (node && state_claim_is_deleting(turn->state, *handle) &&
            record_of_object(&node->meta, turn->symbols, &record) && record.role == RECORD_CANDIDATE)
            u64_map_put(turn->arena, &commands, slice_hash(record.uuid), 0);
    }
    return commands;
}

// Number of active claims that are there beside those that they will replace.
static uint32_t count_early(Turn *turn, Symbol pool) {
    IndexMap marked = marked_commands(turn, pool);
    uint32_t count = 0;
    Record record;

    for (vec_each(const Handle, handle, state_claims_of_pool(turn->state, pool))) {
        const NodeClaim *claim = state_node_claim(turn->state, *handle);

        if (!state_claim_is_deleting(turn->state, *handle) && record_of_object(&claim->meta, turn->symbols, &record) &&
            record.role == RECORD_REPLACEMENT)
            count += u64_map_get(&marked, slice_hash(record.uuid)) == INDEX_NONE;
    }
    return count;
}

// --- the turn

static uint64_t tag_of(Handle handle) {
    return (uint64_t)handle.generation << 32 | handle.index;
}

static Handle handle_of(uint64_t tag) {
    return (Handle){.index = (uint32_t)tag, .generation = (uint32_t)(tag >> 32)};
}

static Slice number(Turn *turn, int64_t value) {
    return arena_printf(turn->arena, "%lld", (long long)value);
}

static void remove_claims(Turn *turn, Symbol pool, uint32_t count) {
    VictimVec victims = victims_in_order(turn, pool);

    for (uint32_t i = 0; i < count && i < victims.count; i++) {
        turn_log(turn, LOG_DEBUG, "deleting nodeclaim", "NodeClaim",
                 symbol_text(turn->symbols, victims.items[i].claim->meta.name), NULL);
        turn_remove(turn, KUBE_NODE_CLAIM, &victims.items[i].claim->meta);
        vec_last(turn->intents)->aside = true; // not one batch: deletions run in parallel and complete one by one
        vec_last(turn->intents)->tag = tag_of(victims.items[i].handle);
        state_mark_deleting(turn->state, victims.items[i].handle, true);
    }
}

static void static_deprovisioning_complete(void *self, Turn *turn, Key key, const Completion *completions,
                                           uint32_t count) {
    (void)self;
    for (uint32_t i = 0; i < count; i++) {
        const Completion *completion = &completions[i];
        Handle handle = handle_of(completion->tag);

        if (completion->type != INTENT_REMOVE || completion->code == OK || completion->code == ERR_NOT_FOUND)
            continue;
        if (state_node_claim(turn->state, handle))
            state_mark_deleting(turn->state, handle, false);
        turn_log(turn, LOG_ERROR, "Reconciler error", "NodePool", symbol_text(turn->symbols, key.name), "error",
                 arena_slice(turn->arena, completion_text(completion)), NULL);
        turn_retry(turn, key);
    }
}

static void static_deprovisioning_reconcile(void *self, Turn *turn, Key key) {
    const NodePool *pool = state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, key.name));
    uint32_t active;

    (void)self;
    if (!static_is_ours(turn, pool) || pool->meta.deleting)
        return;
    turn_again(turn, key, LOOK_EVERY_S * NS_PER_S);
    active = static_count(turn->state, key.name).active;
    if (active > pool->replicas)
        active -= count_early(turn, key.name);
    if (active <= pool->replicas)
        return;
    turn_log(turn, LOG_INFO, "deprovisioning nodeclaims to satisfy replica count", "NodePool",
             symbol_text(turn->symbols, key.name), "current", number(turn, active), "desired",
             number(turn, pool->replicas), "deprovision-count", number(turn, active - pool->replicas), NULL);
    remove_claims(turn, key.name, (uint32_t)(active - pool->replicas));
}

const Controller static_deprovisioning_controller = {
    .name = "static.deprovisioning",
    .observe = static_deprovisioning_observe,
    .reconcile = static_deprovisioning_reconcile,
    .complete = static_deprovisioning_complete,
};
