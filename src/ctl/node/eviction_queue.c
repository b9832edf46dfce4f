// The eviction queue. Behaviour: reference lifecycle.md 3.4; texts 3.4, 7.2, 7.3.
#include "ctl/node/eviction_queue.h"

#include "ctl/common/node_facts.h"
#include "ctl/node/drain.h"
#include "ctl/node/eviction_parts.h"
#include "ctl/node/reboot.h"

static const Slice MULTIPLE_BUDGETS =
    SLICE_INIT("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");

// One call of the queue for one pod.
typedef struct {
    Turn *turn;
    Key key;
    EvictionEntry *entry;
    const Pod *pod;
    const Node *node; // that it leaves
} Visit;

static void drop(EvictionMemory *memory, Key key) {
    EvictionEntry *entry = notes_find(&memory->entries, key);

    if (!entry)
        return;
    eviction_wait_leave(memory, entry);
    notes_remove(&memory->entries, key);
}

// --- facts from the State

static bool is_drained(const Turn *turn, const Node *node) {
    if (node_is_terminating(node, turn->symbols, turn->settings))
        return node_is_disrupted(node);
    return node_is_fenced(node) && node_awaits_reboot(turn, node);
}

// The Node that the pod has to leave: deleting, or to be rebooted, with the taint that goes with it; NULL: none.
static const Node *node_of(const Turn *turn, const Pod *pod) {
    const Node *node = state_node(turn->state, state_find(turn->state, KUBE_NODE, NAME_EMPTY, pod->node_name));

    return node && is_drained(turn, node) ? node : NULL;
}

// The node's termination deadline; INT64_MAX: none. node.termination reports a deadline that cannot be read.
static int64_t deadline_of(const Turn *turn, const Node *node) {
    int64_t deadline_ns = INT64_MAX;

    node_deadline(node_claim(turn->state, node), turn->symbols, &deadline_ns, NULL);
    return deadline_ns;
}

// The entry of the pod; reset when another pod has the name now.
static EvictionEntry *entry_of(EvictionMemory *memory, const Pod *pod) {
    Key key = {pod->ns, pod->name};
    EvictionEntry *entry = notes_add(&memory->entries, key);

    if (entry->uid != pod->uid) {
        eviction_wait_leave(memory, entry);
        *entry = (EvictionEntry){.pod = key, .uid = pod->uid, .deadline_ns = INT64_MAX};
    }
    entry->node = pod->node_name;
    return entry;
}

// --- one call

static int64_t backoff_ns(uint32_t attempts) {
    int64_t backoff = EVICTION_BACKOFF_FIRST_MS * NS_PER_MS;

    while (attempts-- && backoff < EVICTION_BACKOFF_MAX_MS * NS_PER_MS)
        backoff *= 2;
    return backoff < EVICTION_BACKOFF_MAX_MS * NS_PER_MS ? backoff : EVICTION_BACKOFF_MAX_MS * NS_PER_MS;
}

static void put_off(Turn *turn, EvictionEntry *entry, int64_t at_least_ns) {
    int64_t delay_ns = backoff_ns(entry->attempts++);

    if (delay_ns < at_least_ns)
        delay_ns = at_least_ns;
    entry->not_before = mono_after(turn->now, delay_ns);
    turn_again(turn, entry->pod, delay_ns);
}

// How long until the next repeated request may be sent: EVICTION_RETRIES_PER_S, with a burst of
// EVICTION_RETRIES_AT_ONCE.
static int64_t retry_after_ns(EvictionMemory *memory, Mono now) {
    const int64_t each_ns = NS_PER_S / EVICTION_RETRIES_PER_S;
    int64_t wait_ns;

    memory->spent = mono_after(mono_last(memory->spent, now), each_ns);
    wait_ns = mono_left(now, memory->spent) - each_ns * EVICTION_RETRIES_AT_ONCE;
    return wait_ns > 0 ? wait_ns : 0;
}

// Deletes a pod past the deadline less its own grace period, whatever protects it.
static void delete_by_force(const Visit *visit) {
    Turn *turn = visit->turn;
    EvictionEntry *entry = visit->entry;
    ObjectMeta meta = {.ns = visit->pod->ns, .name = visit->pod->name, .uid = visit->pod->uid};
    Intent *intent;

    entry->busy = true;
    entry->granted_s = pod_forced_grace_s(entry->deadline_ns, turn->wall_ns);
    entry->own_grace_s = visit->pod->grace_s;
    turn_remove(turn, KUBE_POD, &meta);
    intent = vec_last(turn->intents);
    intent->deletion.has_grace = true;
    intent->deletion.grace_s = entry->granted_s;
    eviction_log_deletion(turn, entry);
}

// Keeps a pod that do-not-disrupt protects: until the annotation ends, the deadline comes, or the pod changes.
static void hold(EvictionMemory *memory, const Visit *visit) {
    Turn *turn = visit->turn;
    EvictionEntry *entry = visit->entry;
    DoNotDisrupt state = pod_do_not_drain(visit->pod, turn->symbols, turn->wall_ns, NULL);
    int64_t left_ns = state.until_ns - turn->wall_ns;

    eviction_wait_leave(memory, entry);
    entry->wait = EVICTION_WAITS_FOR_DO_NOT_DISRUPT;
    put_off(turn, entry, 0);
    if (left_ns > 0 && left_ns < mono_left(turn->now, entry->not_before)) {
        entry->not_before = mono_after(turn->now, left_ns);
        turn_again(turn, entry->pod, left_ns);
    }
}

static void evict(const Visit *visit) {
    Turn *turn = visit->turn;
    Intent *intent = turn_intend(turn, INTENT_EVICT);
    const Pod *pod = visit->pod;

    visit->entry->busy = true;
    intent->ref = (KubeRef){KUBE_POD, symbol_text(turn->symbols, pod->ns), symbol_text(turn->symbols, pod->name)};
    intent->deletion.uid = symbol_text(turn->symbols, pod->uid);
}

static void visit_pod(EvictionMemory *memory, const Visit *visit) {
    Turn *turn = visit->turn;
    EvictionEntry *entry = visit->entry;

    if (pod_is_forced(visit->pod, entry->deadline_ns, turn->wall_ns))
        return delete_by_force(visit);
    if (!mono_reached(turn->now, entry->not_before))
        return turn_again(turn, visit->key, mono_left(turn->now, entry->not_before));
    eviction_say_do_not_disrupt(turn, visit->pod);
    if (!pod_is_evictable(visit->pod, turn->symbols, turn->wall_ns))
        return hold(memory, visit);
    if (!eviction_order_allows(&memory->order, turn, visit->node, visit->pod))
        return turn_again(turn, visit->key, EVICTION_ORDER_ASK_S * NS_PER_S);
    if (!eviction_surge_holds(turn, entry, visit->pod))
        evict(visit);
}

static void eviction_queue_reconcile(void *self, Turn *turn, Key key) {
    EvictionMemory *memory = self;
    const Pod *pod = state_pod(turn->state, state_find(turn->state, KUBE_POD, key.ns, key.name));
    const Node *node = pod ? node_of(turn, pod) : NULL;
    EvictionEntry *entry = node ? entry_of(memory, pod) : NULL;
    int64_t deadline_ns = node ? deadline_of(turn, node) : INT64_MAX;

    // the deadline may become earlier, never later
    if (entry && deadline_ns < entry->deadline_ns)
        entry->deadline_ns = deadline_ns;
    if (!entry || !node_drain_chooses(turn->state, node, pod, entry->deadline_ns, turn->wall_ns))
        return drop(memory, key);
    visit_pod(memory, &(Visit){.turn = turn, .key = key, .entry = entry, .pod = pod, .node = node});
}

// --- changes that end a back-off

static void observe_pod(EvictionMemory *memory, Turn *turn, const StateChange *change) {
    Key key = {change->ns, change->name};
    EvictionEntry *entry = notes_find(&memory->entries, key);
    const Pod *before = change->before, *after = change->after;
    bool readiness = before && after && before->ready != after->ready;

    if (!entry || entry->busy)
        return;
    if (!after)
        return drop(memory, key);
    if (entry->wait != EVICTION_WAITS_FOR_DO_NOT_DISRUPT && !(entry->wait == EVICTION_WAITS_FOR_BUDGET && readiness))
        return;
    eviction_wait_leave(memory, entry);
    entry->not_before = (Mono){0};
    turn_enqueue(turn, &eviction_queue_controller, key, 0);
}

static void eviction_queue_observe(void *self, Turn *turn, const StateChange *change) {
    EvictionMemory *memory = self;

    if (notes_count(&memory->entries) == 0)
        return;
    if (change->kind == KUBE_POD)
        observe_pod(memory, turn, change);
    if (change->kind == KUBE_POD_DISRUPTION_BUDGET)
        eviction_wait_observe(memory, turn, change);
}

// --- completions

static bool is_refused_for_several(const Completion *completion) {
    return completion->kube_error && slice_eq(slice_of(completion->kube_error->err.text), MULTIPLE_BUDGETS);
}

static void try_later(EvictionMemory *memory, Turn *turn, EvictionEntry *entry, const Completion *completion) {
    int64_t server_ns = completion->kube_error ? completion->kube_error->retry_after_ns : 0;
    int64_t ours_ns = retry_after_ns(memory, turn->now);

    put_off(turn, entry, server_ns > ours_ns ? server_ns : ours_ns);
}

// Handles a refusal by a budget: publishes it on the node and puts the pod into the budget's line.
static void take_refusal(EvictionMemory *memory, Turn *turn, EvictionEntry *entry, const Node *node,
                         const Completion *completion) {
    if (node)
        eviction_say_refused(turn, entry, node, is_refused_for_several(completion));
    eviction_wait_join(memory, turn, entry);
    try_later(memory, turn, entry, completion);
}

static void take_failure(EvictionMemory *memory, Turn *turn, EvictionEntry *entry, const Completion *completion) {
    turn_log(turn, LOG_ERROR, "Reconciler error", "error", completion_text(completion), NULL);
    eviction_wait_leave(memory, entry);
    try_later(memory, turn, entry, completion);
}

static bool is_of_surge(const Completion *completion) {
    return completion->type == INTENT_GET || completion->type == INTENT_PATCH;
}

static void take_surge(EvictionMemory *memory, Turn *turn, EvictionEntry *entry, const Completion *completion) {
    if (!eviction_surge_take(turn, entry, completion))
        return take_failure(memory, turn, entry, completion);
    turn_enqueue(turn, &eviction_queue_controller, entry->pod, 0);
}

static void eviction_queue_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    EvictionMemory *memory = self;
    EvictionEntry *entry = notes_find(&memory->entries, key);
    const Node *node;

    if (count == 0 || intent_is_aside(completions->type) || !entry)
        return;
    entry->busy = false;
    if (is_of_surge(completions))
        return take_surge(memory, turn, entry, completions);
    node = state_node(turn->state, state_find(turn->state, KUBE_NODE, NAME_EMPTY, entry->node));
    if (completions->code == OK)
        eviction_say_gone(turn, entry, node, completions->type);
    if (completions->code == OK || completions->code == ERR_NOT_FOUND || completions->code == ERR_CONFLICT)
        return drop(memory, key);
    if (completions->type == INTENT_EVICT &&
        (completions->code == ERR_THROTTLED || is_refused_for_several(completions)))
        return take_refusal(memory, turn, entry, node, completions);
    take_failure(memory, turn, entry, completions);
}

const Controller eviction_queue_controller = {
    .name = "eviction-queue",
    .memory_size = sizeof(EvictionMemory),
    .notes = {{offsetof(EvictionMemory, entries), sizeof(EvictionEntry)},
              {offsetof(EvictionMemory, lines), sizeof(EvictionLine)}},
    .observe = eviction_queue_observe,
    .reconcile = eviction_queue_reconcile,
    .complete = eviction_queue_complete,
    .backoff_first_ns = EVICTION_BACKOFF_FIRST_MS * NS_PER_MS,
    .backoff_max_ns = EVICTION_BACKOFF_MAX_MS * NS_PER_MS,
};
