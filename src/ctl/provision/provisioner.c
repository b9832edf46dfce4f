// The provisioner: triggers, turns, and completions.
#include "ctl/provision/provisioner.h"

#include "ctl/common/node_facts.h"
#include "ctl/common/pool_facts.h"
#include "ctl/provision/parts.h"
#include "model/pod_predicates.h"

static const Key whole = {0}; // the key under which all pods are planned

enum { ERROR_MAX = 300 };

static void provisioner_init(void *self, const Settings *settings) {
    Provisioner *provisioner = self;

    provision_batch_init(&provisioner->batch, settings->batch_idle_ns, settings->batch_max_ns);
    provisioner->look_at = provisioner->reopen_at = MONO_END;
}

static void provisioner_release(void *self) {
    Provisioner *provisioner = self;

    provision_batch_free(&provisioner->batch);
    provision_index_free(&provisioner->index);
    launch_budgets_free(&provisioner->budgets);
    arena_free(&provisioner->round);
    arena_free(&provisioner->types_arena);
}

// --- triggers

static void call_by(const Provisioner *provisioner, Turn *turn, Mono at) {
    if (provisioner->started && at.ns != MONO_END.ns)
        turn_enqueue(turn, &provisioner_controller, whole, mono_left(turn->now, at));
}

// Triggers the batching window, and the periodic check of pending pods.
static void trigger(Provisioner *provisioner, Turn *turn, Symbol uid) {
    provision_batch_trigger(&provisioner->batch, uid, turn->now);
    if (provisioner->look_at.ns == MONO_END.ns)
        provisioner->look_at = mono_after(turn->now, PROVISION_LOOK_S * NS_PER_S);
    call_by(provisioner, turn, turn->now);
}

// Notes that an object which plans read has changed: pods without a place may have one now.
static void changed(Provisioner *provisioner, Turn *turn, bool look_now) {
    provisioner->changed = true;
    if (!look_now || provisioner->look_at.ns == MONO_END.ns)
        return;
    provision_look_by(provisioner, turn->now);
    call_by(provisioner, turn, turn->now);
}

static void see_bound(Provisioner *provisioner, Turn *turn, const Pod *pod) {
    Symbol displaced = provision_see_bound(provisioner, turn, pod);

    if (displaced != NAME_EMPTY)
        trigger(provisioner, turn, displaced);
}

// Handles a change of a pod that needs a place; `known`: it needed one before.
static void observe_pending(Provisioner *provisioner, Turn *turn, bool known, const Pod *before, const Pod *after) {
    if (!known) {
        provision_index_add_pod(&provisioner->index, after->uid);
        trigger(provisioner, turn, after->uid);
    } else if (before && before->spec->tolerations.count != after->spec->tolerations.count) {
        changed(provisioner, turn, true);
    }
}

static bool was_unbound(const Pod *before) {
    return before && before->node_name == NAME_EMPTY;
}

static void observe_pod(Provisioner *provisioner, Turn *turn, const Pod *before, const Pod *after) {
    Symbol uid = after ? after->uid : before ? before->uid : NAME_EMPTY;
    uint32_t known = provision_index_find_pod(&provisioner->index, uid);
    bool bound = after && after->node_name != NAME_EMPTY;

    if (after && pod_is_provisionable(after))
        return observe_pending(provisioner, turn, known != INDEX_NONE, before, after);
    provisioner->stirred |= !after || (bound && (!before || was_unbound(before)));
    if (bound && was_unbound(before))
        see_bound(provisioner, turn, after);
    // Bound, gone, or no longer provisionable. A pod that stays bound may belong to a node that is going away: kept.
    if (known != INDEX_NONE && (!after || !before || was_unbound(before) || pod_is_terminal(after)))
        provision_index_forget_pod(&provisioner->index, known);
}

static bool was_leaving(const Node *node) {
    return node && (node_is_disrupted(node) || node->meta.deleting);
}

static void trigger_for_node(Provisioner *provisioner, Turn *turn, const Node *node) {
    if (node && state_node_usage(turn->state, node->meta.name)->reschedulable)
        trigger(provisioner, turn, node->meta.uid);
}

static void observe_node(Provisioner *provisioner, Turn *turn, const Node *before, const Node *after) {
    if (was_leaving(after) && !was_leaving(before))
        trigger_for_node(provisioner, turn, after);
    if (!before || !after)
        changed(provisioner, turn, false);
}

static void observe_claim(Provisioner *provisioner, Turn *turn, const StateChange *change) {
    const NodeClaim *before = change->before, *after = change->after;
    uint32_t known = provision_index_find_claim(&provisioner->index, change->name);
    bool could_help = provisioner->changed;

    if (after && after->meta.deleting && (!before || !before->meta.deleting))
        trigger_for_node(provisioner, turn, state_node(turn->state, state_node_of_claim(turn->state, change->handle)));
    if (known != INDEX_NONE) {
        provision_see_claim(provisioner, turn, known);
        if (provisioner->batch.batcher.open)
            call_by(provisioner, turn, turn->now);
    }
    if (!after || (after->meta.deleting && before && !before->meta.deleting))
        changed(provisioner, turn, false);
    if (provisioner->changed && !could_help && provisioner->held_by_window)
        changed(provisioner, turn, true);
}

// Whether the pools are equal to a plan. The status changes with every node; only spec and readiness count.
static bool pool_says_the_same(const NodePool *before, const NodePool *after, const Symbols *symbols) {
    return before && after && before->meta.generation == after->meta.generation &&
           before->meta.deleting == after->meta.deleting &&
           pool_is_ready(before, symbols) == pool_is_ready(after, symbols);
}

static void provisioner_observe(void *self, Turn *turn, const StateChange *change) {
    Provisioner *provisioner = self;

    switch (change->kind) {
    case KUBE_POD:
        return observe_pod(provisioner, turn, change->before, change->after);
    case KUBE_NODE:
        return observe_node(provisioner, turn, change->before, change->after);
    case KUBE_NODE_CLAIM:
        return observe_claim(provisioner, turn, change);
    case KUBE_NODE_POOL:
        if (!pool_says_the_same(change->before, change->after, turn->symbols))
            changed(provisioner, turn, true);
        return;
    case KUBE_PERSISTENT_VOLUME:
    case KUBE_PERSISTENT_VOLUME_CLAIM:
    case KUBE_STORAGE_CLASS:
    case KUBE_DAEMON_SET:
    case KUBE_NAMESPACE:
        return changed(provisioner, turn, false);
    default:
        return;
    }
}

static void provisioner_start(void *self, Turn *turn) {
    Provisioner *provisioner = self;

    provisioner->started = true;
    provisioner->look_at = turn->now;
    call_by(provisioner, turn, turn->now);
}

// --- turns

static void intend_solve(Provisioner *provisioner, Turn *turn) {
    SolveIntent *solve;
    bool in_burst;

    provision_pools_remember(provisioner, turn);
    provisioner->changed = provisioner->stirred = false;
    in_burst = mono_since(turn->now, provisioner->asked_at) < PROVISION_BURST_S * NS_PER_S;
    provisioner->asked_at = turn->now;
    provisioner->solving = true;
    solve = &turn_intend(turn, INTENT_SOLVE)->solve;
    solve->preferences = turn->settings->preferences;
    solve->min_values = turn->settings->min_values;
    solve->search = turn->settings->search;
    solve->search.skip_floor = true; // nothing reads it here
    solve->search.one_attempt = in_burst;
    if (provisioner->waiting == 1)
        solve->search.effort = EFFORT_FAST; // one pod: there is nothing to search for
    provision_aside_intend(provisioner, turn, solve);
}

static bool is_busy(const Provisioner *provisioner) {
    return provisioner->solving || provisioner->answers_left || provisioner->reading;
}

static void plan_when_due(Provisioner *provisioner, Turn *turn) {
    Mono close = MONO_END;

    switch (provision_batch_poll(&provisioner->batch, turn->now, &close)) {
    case BATCH_READY:
        if (provision_needs_plan(provisioner, turn))
            return intend_solve(provisioner, turn);
        return provision_batch_drop(&provisioner->batch);
    case BATCH_WAITING:
        return call_by(provisioner, turn, close);
    case BATCH_NONE:
        return;
    }
}

static void read_claims_when_due(Provisioner *provisioner, Turn *turn) {
    if (!mono_reached(turn->now, provisioner->read_at))
        return call_by(provisioner, turn, provisioner->read_at);
    turn_read(turn, KUBE_NODE_CLAIM, (Slice){0}, (Slice){0});
    provisioner->reading = true;
}

static void claims_were_read(Provisioner *provisioner, Turn *turn, ErrCode code) {
    provisioner->reading = false;
    provisioner->doubtful = code != OK;
    if (provisioner->doubtful)
        provisioner->read_at = mono_after(turn->now, PROVISION_DOUBT_S * NS_PER_S);
    else
        provision_look_by(provisioner, turn->now);
    call_by(provisioner, turn, turn->now);
}

static void tell_no_capacity(Provisioner *provisioner, Turn *turn, Key key) {
    uint32_t number = provision_index_find_claim(&provisioner->index, key.name);
    KnownClaim *claim;

    if (number == INDEX_NONE)
        return;
    claim = known_claim(&provisioner->index, number);
    if (claim->counted) {
        claim->counted = false;
        launch_budget_failed(&provisioner->budgets, claim->offering, claim->created, turn->now, turn->random);
    }
    for (vec_each(const uint32_t, item, &claim->pods)) {
        const KnownPod *known = known_pod(&provisioner->index, *item);
        const Pod *pod = state_pod(turn->state, state_find_uid(turn->state, KUBE_POD, known->uid));

        if (pod && (known->claim == number || known->claim == INDEX_NONE))
            provision_report_no_capacity(turn, pod, symbol_text(turn->symbols, key.name),
                                         symbol_text(turn->symbols, key.ns));
    }
}

static void provisioner_reconcile(void *self, Turn *turn, Key key) {
    Provisioner *provisioner = self;

    if (key.name != NAME_EMPTY)
        return tell_no_capacity(provisioner, turn, key);
    if (!provisioner->started || is_busy(provisioner))
        return; // the last completion enqueues the key again
    if (provisioner->doubtful)
        return read_claims_when_due(provisioner, turn);
    if (mono_reached(turn->now, provisioner->look_at))
        provision_look(provisioner, turn);
    plan_when_due(provisioner, turn);
    call_by(provisioner, turn, provisioner->look_at);
}

static void solve_failed(Provisioner *provisioner, Turn *turn, const Completion *completion) {
    turn_log(turn, LOG_ERROR, "Reconciler error", "error", completion_text(completion), NULL);
    provisioner->changed = true;
    turn_retry(turn, whole);
}

static void provisioner_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    Provisioner *provisioner = self;
    bool failed = false;

    (void)key;
    if (!is_busy(provisioner))
        return; // of events and log lines
    if (completions[0].type == INTENT_READ)
        return claims_were_read(provisioner, turn, completions[0].code);
    for (uint32_t i = 0; i < count; i++) {
        if (completions[i].type == INTENT_CREATE)
            provision_created(provisioner, turn, &completions[i]);
        if (completions[i].type != INTENT_SOLVE)
            continue;
        provisioner->solving = false;
        failed = completions[i].code != OK;
        if (failed)
            solve_failed(provisioner, turn, &completions[i]);
        else
            provision_apply(provisioner, turn, &completions[i]);
    }
    if (is_busy(provisioner))
        return;
    provision_batch_end(&provisioner->batch, turn->now, failed);
    if (!failed) {
        turn_succeed(turn, whole);
        call_by(provisioner, turn, turn->now);
    }
}

const Controller provisioner_controller = {
    .name = "provisioner",
    .memory_size = sizeof(Provisioner),
    .init = provisioner_init,
    .release = provisioner_release,
    .observe = provisioner_observe,
    .start = provisioner_start,
    .reconcile = provisioner_reconcile,
    .complete = provisioner_complete,
    .backoff_first_ns = NS_PER_S,
    .backoff_max_ns = NS_PER_MIN,
};

// The error is passed as a symbol of the key. It contains request ids, so it must not be interned for good: the queue
// holds the symbols of its keys.
void provision_no_capacity(Turn *turn, const NodeClaim *claim, Slice error) {
    SymbolHolder holder = {.table = turn->symbols->table};
    Symbols symbols = {holder.table, &holder};
    Slice text = error.len <= ERROR_MAX ? error : arena_printf(turn->arena, "%.*s...", ERROR_MAX, error.ptr);

    turn_enqueue(turn, &provisioner_controller, (Key){symbol_intern(&symbols, text), claim->meta.name}, 0);
    symbol_holder_free(&holder);
}
