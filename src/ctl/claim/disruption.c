// The conditions by which voluntary disruption chooses NodeClaims.
#include "ctl/claim/disruption.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/conditions.h"
#include "ctl/common/notes.h"
#include "ctl/common/pool_facts.h"
#include "disrupt/drift.h"
#include "model/pool_name.h"
#include "text/duration.h"

static const int64_t DRIFT_PERIOD_NS = CLAIM_DRIFT_PERIOD_S * NS_PER_S;
static const int64_t TYPE_PERIOD_NS = CLAIM_TYPE_PERIOD_S * NS_PER_S;
static const int64_t TYPE_AGE_NS = CLAIM_TYPE_AGE_S * NS_PER_S;

typedef struct {
    Key uid;               // {.name = uid of the claim}
    Mono type_found;       // when the provider last had its instance type
    Mono answered;         // when the provider last said whether it is drifted
    Symbol provider_drift; // what it said; NAME_EMPTY: it is not
} ClaimDisruptionNote;

// One look at one claim.
typedef struct {
    Turn *turn;
    const NodeClaim *claim;
    const NodePool *pool;
    ClaimDisruptionNote *note;
    Conditions conditions;
    int64_t wait_ns; // until the next look
} ClaimDisruptionPass;

static void call_again(ClaimDisruptionPass *pass, int64_t after_ns) {
    if (after_ns < pass->wait_ns)
        pass->wait_ns = after_ns;
}

// --- Consolidatable

static const char still_waits[] = "consolidateAfter window not yet elapsed";

static bool clear_condition(Turn *turn, const NodeClaim *claim, Conditions *conditions, const char *why) {
    bool had = conditions_clear(conditions, "Consolidatable");

    if (had)
        turn_log(turn, LOG_DEBUG, "removing consolidatable status condition", "NodeClaim",
                 symbol_text(turn->symbols, claim->meta.name), "reason", slice_of(why), NULL);
    return had;
}

static void clear_consolidatable(ClaimDisruptionPass *pass, const char *why) {
    clear_condition(pass->turn, pass->claim, &pass->conditions, why);
}

Value *claim_disturb(Turn *turn, const NodeClaim *claim, KubeRevision *ret_revision) {
    const NodePool *pool = pool_of_claim(turn->state, claim);
    Conditions conditions = conditions_open(turn, &claim_condition_rules, &claim->meta, &claim->conditions);
    Value *nothing;

    if (pool && !pool->is_static && pool->disruption.consolidate_after_ns != 0 &&
        clear_condition(turn, claim, &conditions, still_waits)) {
        *ret_revision = claim->meta.revision;
        return conditions_patch(&conditions);
    }
    *ret_revision = 0;
    nothing = arena_new(turn->arena, Value);
    *nothing = value_map();
    return nothing;
}

// How long the node has to be left alone yet, 0 or less: it was for long enough.
static int64_t quiet_left(const ClaimDisruptionPass *pass) {
    const NodeClaim *claim = pass->claim;
    int64_t since_ns = claim->last_pod_event_ns;

    if (!since_ns)
        since_ns = conditions_get(&pass->conditions, "Initialized")->transition_ns;
    return ns_add(since_ns, pass->pool->disruption.consolidate_after_ns) - pass->turn->wall_ns;
}

static void judge_consolidatable(ClaimDisruptionPass *pass) {
    int64_t left_ns;

    if (pass->pool->is_static)
        return;
    if (pass->pool->disruption.consolidate_after_ns == DURATION_NEVER)
        return clear_consolidatable(pass, "consolidation is disabled");
    if (!conditions_is_true(&pass->conditions, "Initialized"))
        return clear_consolidatable(pass, "nodeclaim isn't initialized");
    left_ns = quiet_left(pass);
    if (left_ns > 0) {
        call_again(pass, left_ns);
        return clear_consolidatable(pass, still_waits);
    }
    if (conditions_set_true(&pass->conditions, "Consolidatable"))
        turn_log(pass->turn, LOG_DEBUG, "marking consolidatable", "NodeClaim",
                 symbol_text(pass->turn->symbols, pass->claim->meta.name), NULL);
}

// --- Empty

static bool is_of_provisioner(const ClaimDisruptionPass *pass) {
    return pool_is_provisioner(pass->turn->symbols, pass->pool->meta.name);
}

// Whether the claim's node runs, and is to go some time after it is empty.
static bool has_end_when_empty(const ClaimDisruptionPass *pass) {
    const PoolDisruption *disruption = &pass->pool->disruption;

    return disruption->policy == CONSOLIDATE_WHEN_EMPTY && disruption->consolidate_after_ns != DURATION_NEVER &&
           conditions_is_true(&pass->conditions, "Initialized");
}

// Of a Provisioner's claim, shown as MachineEmpty, for people: nothing is decided by it. Reference legacy.md 4.
static void judge_empty(ClaimDisruptionPass *pass) {
    const Node *node = claim_node(pass->turn->state, pass->claim);

    if (!is_of_provisioner(pass))
        return;
    if (has_end_when_empty(pass) && node && !state_node_usage(pass->turn->state, node->meta.name)->reschedulable)
        conditions_set_true(&pass->conditions, "Empty");
    else
        conditions_clear(&pass->conditions, "Empty");
}

// --- Drifted

// Instance types are asked for only of claims that are an hour old: a provider may lag behind its own launches. What
// cannot be asked now says nothing.
static bool type_is_gone(ClaimDisruptionPass *pass) {
    const Turn *turn = pass->turn;
    const InstanceTypeVec *types;
    CloudError error;

    if (turn->wall_ns - pass->claim->meta.created_ns <= TYPE_AGE_NS ||
        mono_since(turn->now, pass->note->type_found) < TYPE_PERIOD_NS ||
        cloud_instance_types(turn->cloud, pass->pool, &types, &error) != OK)
        return false;
    if (!drift_has_type(types, pass->claim))
        return true;
    pass->note->type_found = turn->now;
    return false;
}

// A node of a Provisioner expires by choice, like one that drifted: what replaces it comes first, and vetoes hold. It
// is the Provisioner that says when, as it is now. Reference legacy.md 5.2 and 6.2.
static bool is_expired(ClaimDisruptionPass *pass) {
    int64_t after_ns = pass->pool->template_spec.expire_after_ns, left_ns;

    if (after_ns == DURATION_NEVER)
        return false;
    left_ns = ns_add(pass->claim->meta.created_ns, after_ns) - pass->turn->wall_ns;
    if (left_ns >= 0) // later than that, not at it
        call_again(pass, left_ns + 1);
    return left_ns < 0;
}

static bool drifts(const ClaimDisruptionPass *pass) {
    Symbol gate = symbol_find(pass->turn->symbols, SLICE("tenon.sh/drift"));

    return gate != INDEX_NONE && labels_get(&pass->pool->meta.annotations, gate) == NAME_TRUE;
}

static Slice find_drift(ClaimDisruptionPass *pass) {
    Turn *turn = pass->turn;
    bool is_old = is_of_provisioner(pass);
    Slice reason;

    if (is_old && is_expired(pass))
        return SLICE("Expired");
    if (is_old && !drifts(pass))
        return SLICE("");
    reason = drift_from_pool(turn->arena, turn->symbols, pass->pool, pass->claim);
    if (reason.len)
        return reason;
    if (type_is_gone(pass))
        return SLICE("InstanceTypeNotFound");
    return symbol_text(turn->symbols, pass->note->provider_drift);
}

static void log_drift(ClaimDisruptionPass *pass, const char *message, Slice reason) {
    turn_log(pass->turn, LOG_DEBUG, message, "NodeClaim", symbol_text(pass->turn->symbols, pass->claim->meta.name),
             "reason", reason, NULL);
}

// Before the provider was first asked, a condition that stands from before a restart stays.
static void judge_drifted(ClaimDisruptionPass *pass) {
    bool was = conditions_get(&pass->conditions, "Drifted");
    Slice reason;

    if (!conditions_is_true(&pass->conditions, "Launched")) {
        if (conditions_clear(&pass->conditions, "Drifted"))
            log_drift(pass, "removing drift status condition, isn't launched", (Slice){0});
        return;
    }
    reason = find_drift(pass);
    if (reason.len) {
        conditions_set_true_because(&pass->conditions, "Drifted", arena_text(pass->turn->arena, reason), reason);
        if (!was)
            log_drift(pass, "marking drifted", reason);
    } else if (mono_is_set(pass->note->answered) && conditions_clear(&pass->conditions, "Drifted")) {
        log_drift(pass, "removing drifted status condition, not drifted", (Slice){0});
    }
}

// --- the controller

static ClaimDisruptionPass open_pass(NoteTable *notes, Turn *turn, const NodeClaim *claim, const NodePool *pool) {
    return (ClaimDisruptionPass){
        .turn = turn,
        .claim = claim,
        .pool = pool,
        .note = notes_add(notes, (Key){.name = claim->meta.uid}),
        .conditions = conditions_open(turn, &claim_condition_rules, &claim->meta, &claim->conditions),
        .wait_ns = DRIFT_PERIOD_NS,
    };
}

// In the batch behind the conditions, which do not wait for the answer.
static void ask_provider(ClaimDisruptionPass *pass, Handle handle) {
    int64_t since_ns = mono_since(pass->turn->now, pass->note->answered);

    if (!conditions_is_true(&pass->conditions, "Launched"))
        return;
    if (since_ns < DRIFT_PERIOD_NS)
        call_again(pass, DRIFT_PERIOD_NS - since_ns);
    else
        turn_intend(pass->turn, INTENT_CHECK_DRIFT)->claim = handle;
}

static void claim_disruption_reconcile(void *self, Turn *turn, Key key) {
    Handle handle;
    const NodeClaim *claim = claim_of_key(turn, key, &handle);
    const NodePool *pool = claim ? pool_of_claim(turn->state, claim) : NULL;
    ClaimDisruptionPass pass;

    if (!pool || claim->meta.deleting || !pool_is_managed(pool, turn->symbols, turn->settings))
        return;
    pass = open_pass(self, turn, claim, pool);
    judge_consolidatable(&pass);
    judge_empty(&pass);
    judge_drifted(&pass);
    if (pass.conditions.changed)
        turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name, KUBE_STATUS, conditions_patch(&pass.conditions),
                   claim->meta.revision);
    ask_provider(&pass, handle);
    turn_again(turn, key, pass.wait_ns);
}

static void keep_answer(NoteTable *notes, Turn *turn, const NodeClaim *claim, const Completion *answer) {
    ClaimDisruptionNote *note = notes_add(notes, (Key){.name = claim->meta.uid});

    note->answered = turn->now;
    note->provider_drift = symbol_intern(turn->symbols, answer->drift);
}

static void claim_disruption_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    const Completion *last = &completions[count - 1];
    const NodeClaim *claim = claim_of_key(turn, key, NULL);

    // Nothing has failed: a process that has just started has many claims, and has not looked at their class yet.
    if (last->cloud_error && last->cloud_error->class_not_ready)
        return turn_retry(turn, key);
    if (last->type == INTENT_CHECK_DRIFT && last->code == OK && claim) {
        keep_answer(self, turn, claim, last);
        turn_again(turn, key, 0);
    }
    claim_settle(turn, key, last);
}

// --- what to look at again

static void look_again(Turn *turn, Handle handle) {
    const NodeClaim *claim = state_node_claim(turn->state, handle);

    turn_enqueue(turn, &claim_disruption_controller, claim_key(claim), 0);
}

// The status of a pool changes often, and says nothing here.
static bool is_other_pool(const NodePool *before, const NodePool *after) {
    return !before || before->meta.uid != after->meta.uid || before->meta.generation != after->meta.generation ||
           !labels_eq(&before->meta.annotations, &after->meta.annotations);
}

static void observe_pool(Turn *turn, const StateChange *change) {
    if (!change->after || !is_other_pool(change->before, change->after))
        return;
    for (vec_each(const Handle, handle, state_claims_of_pool(turn->state, change->name)))
        look_again(turn, *handle);
}

// The provider is asked at once about claims of a NodeClass that changed: its spec, the hash of that, or what was found
// for it, which are written one after the other. It answers from what it has listed.
static void observe_class(NoteTable *notes, Turn *turn, const StateChange *change) {
    const ObjectMeta *before = change->before, *after = change->after;
    Handle handle = HANDLE_NONE;

    if (!before || !after || before->revision == after->revision)
        return;
    while ((handle = state_next(turn->state, KUBE_NODE_CLAIM, handle)).generation) {
        const NodeClaim *claim = state_node_claim(turn->state, handle);
        ClaimDisruptionNote *note = notes_find(notes, (Key){.name = claim->meta.uid});

        if (claim->spec.node_class.name != change->name)
            continue;
        if (note)
            note->answered = (Mono){0};
        look_again(turn, handle);
    }
}

static void claim_disruption_observe(void *self, Turn *turn, const StateChange *change) {
    if (!turn->settings->disruption)
        return;
    if (change->kind == KUBE_NODE_POOL)
        return observe_pool(turn, change);
    if (class_is_kind(change->kind))
        return observe_class(self, turn, change);
    if (change->kind != KUBE_NODE_CLAIM)
        return;
    if (claim_ended(change))
        notes_remove(self, (Key){.name = claim_ended(change)->meta.uid});
    if (change->after)
        turn_enqueue(turn, &claim_disruption_controller, (Key){.name = change->name}, 0);
}

const Controller claim_disruption_controller = {
    .name = "nodeclaim.disruption",
    .memory_size = sizeof(NoteTable),
    .notes = {{0, sizeof(ClaimDisruptionNote)}},
    .observe = claim_disruption_observe,
    .reconcile = claim_disruption_reconcile,
    .complete = claim_disruption_complete,
    .backoff_first_ns = NS_PER_S,
    .backoff_max_ns = NS_PER_MIN,
};
