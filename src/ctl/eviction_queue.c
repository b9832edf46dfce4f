// The eviction queue. Behaviour: reference lifecycle.md 3.4; texts 3.4, 7.2, 7.3.
#include "ctl/eviction_queue.h"

#include "ctl/node_drain.h"
#include "ctl/node_facts.h"
#include "ctl/node_ledger.h"
#include "ctl/pod_budgets.h"
#include "text/duration.h"

static const int64_t NS_PER_MS = 1000000;
static const Slice MULTIPLE_BUDGETS =
    SLICE_INIT("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");

// A pod in the queue.
typedef struct {
    Key pod;
    Symbol uid, node;
    int64_t deadline_ns;   // the earliest that was seen; INT64_MAX: none
    int64_t not_before_ns; // waits until then, unless it is forced
    uint32_t attempts;     // without success
    int64_t granted_s;     // by the deletion under way
    int32_t own_grace_s;   // the pod's terminationGracePeriodSeconds
    bool busy;             // asked of the API server, not answered yet
    enum {
        WAIT_NONE,
        WAIT_BUDGET,         // refused
        WAIT_ANSWER,         // was refused, and tries again because there is room
        WAIT_DO_NOT_DISRUPT, // held
    } wait;
} Entry;

typedef struct {
    Arena arena; // this struct
    Ledger entries;
} Memory;

// What one call is about.
typedef struct {
    Turn *turn;
    Key key;
    Entry *entry;
    const Pod *pod;
    const Node *node;
} Visit;

static void *make(const Settings *settings) {
    Arena arena = {0};
    Memory *memory = arena_new(&arena, Memory);

    (void)settings;
    memory->arena = arena;
    memory->entries.note_size = sizeof(Entry);
    return memory;
}

static void forget_all(void *self) {
    Memory *memory = self;
    Arena arena = memory->arena;

    ledger_free(&memory->entries);
    arena_free(&arena);
}

// --- what the State says

// The node that the pod has to leave: one that is ending and has its taint; NULL: none.
static const Node *node_of(const Turn *turn, const Pod *pod) {
    const Node *node = state_node(turn->state, state_find(turn->state, KUBE_NODE, NAME_EMPTY, pod->node_name));

    return node && node_is_terminating(node, turn->symbols, turn->settings) && node_is_disrupted(node) ? node : NULL;
}

// INT64_MAX: none. A deadline that cannot be read is the drain's to complain about.
static int64_t deadline_of(const Turn *turn, const Node *node) {
    int64_t deadline_ns = INT64_MAX;

    node_deadline(node_claim(turn->state, node), turn->symbols, &deadline_ns, NULL);
    return deadline_ns;
}

static ObjectMeta meta_of(const Pod *pod) {
    return (ObjectMeta){.ns = pod->ns, .name = pod->name, .uid = pod->uid};
}

// The entry of the pod, new when another pod has the name now.
static Entry *entry_of(Memory *memory, const Pod *pod) {
    Key key = {pod->ns, pod->name};
    Entry *entry = ledger_note(&memory->entries, key);

    if (entry->uid != pod->uid)
        *entry = (Entry){.pod = key, .uid = pod->uid, .deadline_ns = INT64_MAX};
    entry->node = pod->node_name;
    return entry;
}

// --- events

static void say_once_per(Turn *turn, Slice subject) {
    vec_last(turn->intents)->event.dedupe_key = subject;
}

// What became of the annotation do-not-disrupt, for whoever looks at the pod. lifecycle.md 7.2.
static void say_do_not_disrupt(const Visit *visit) {
    Turn *turn = visit->turn;
    ObjectMeta meta = meta_of(visit->pod);
    Slice uid = symbol_text(turn->symbols, meta.uid), until;
    Err err;
    DoNotDisrupt state = pod_do_not_disrupt(visit->pod, turn->symbols, turn->now_ns, &err);

    if (state.state == DO_NOT_DISRUPT_INVALID) {
        turn_event(turn, KUBE_POD, &meta, true, "InvalidDoNotDisruptAnnotation",
                   "Invalid karpenter.sh/do-not-disrupt annotation: %s, ignoring annotation", err.text);
        say_once_per(turn, arena_printf(turn->arena, "%.*s/%s", SLICE_ARG(uid), err.text));
    } else if (state.state == DO_NOT_DISRUPT_UNTIL && state.until_ns != INT64_MAX) {
        until = time_print(turn->arena, state.until_ns);
        turn_event(turn, KUBE_POD, &meta, false, "DoNotDisruptUntil",
                   "The karpenter.sh/do-not-disrupt grace period will elapse at %.*s", SLICE_ARG(until));
        say_once_per(turn, arena_printf(turn->arena, "%.*s/%.*s", SLICE_ARG(uid), SLICE_ARG(until)));
    } else if (state.state == DO_NOT_DISRUPT_ELAPSED) {
        turn_event(turn, KUBE_POD, &meta, false, "DoNotDisruptGracePeriodElapsed",
                   "The karpenter.sh/do-not-disrupt grace period has elapsed, pod is now disruptable");
        say_once_per(turn, uid);
    }
}

// --- one visit

static int64_t backoff_ns(uint32_t attempts) {
    int64_t backoff = EVICTION_BACKOFF_FIRST_MS * NS_PER_MS;

    while (attempts-- && backoff < EVICTION_BACKOFF_MAX_MS * NS_PER_MS)
        backoff *= 2;
    return backoff < EVICTION_BACKOFF_MAX_MS * NS_PER_MS ? backoff : EVICTION_BACKOFF_MAX_MS * NS_PER_MS;
}

static void put_off(Turn *turn, Entry *entry, int64_t at_least_ns) {
    int64_t delay_ns = backoff_ns(entry->attempts++);

    if (delay_ns < at_least_ns)
        delay_ns = at_least_ns;
    entry->not_before_ns = turn->now_ns + delay_ns;
    turn_again(turn, entry->pod, delay_ns);
}

// Past the deadline (less the pod's own grace period) the pod is deleted whatever protects it.
static void delete_by_force(const Visit *visit) {
    Turn *turn = visit->turn;
    Entry *entry = visit->entry;
    ObjectMeta meta = meta_of(visit->pod);
    Intent *intent;

    entry->busy = true;
    entry->granted_s = pod_forced_grace_s(entry->deadline_ns, turn->now_ns);
    entry->own_grace_s = visit->pod->grace_s;
    turn_remove(turn, KUBE_POD, &meta);
    intent = vec_last(turn->intents);
    intent->deletion.has_grace = true;
    intent->deletion.grace_s = entry->granted_s;
    turn_log(turn, LOG_DEBUG, "deleting pod", "namespace", symbol_text(turn->symbols, meta.ns), "name",
             symbol_text(turn->symbols, meta.name), "pod.terminationGracePeriodSeconds",
             arena_printf(turn->arena, "%d", visit->pod->grace_s), "delete.gracePeriodSeconds",
             arena_printf(turn->arena, "%lld", (long long)entry->granted_s), "nodeclaim.terminationTime",
             time_print(turn->arena, entry->deadline_ns), NULL);
}

// Do-not-disrupt is in force: the pod stays, until its time is over, the deadline comes, or it changes.
static void hold(const Visit *visit) {
    Turn *turn = visit->turn;
    Entry *entry = visit->entry;
    DoNotDisrupt state = pod_do_not_disrupt(visit->pod, turn->symbols, turn->now_ns, NULL);

    entry->wait = WAIT_DO_NOT_DISRUPT;
    put_off(turn, entry, 0);
    if (state.until_ns > turn->now_ns && state.until_ns < entry->not_before_ns) {
        entry->not_before_ns = state.until_ns;
        turn_again(turn, entry->pod, state.until_ns - turn->now_ns);
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

static void visit_pod(const Visit *visit) {
    Turn *turn = visit->turn;
    Entry *entry = visit->entry;

    if (pod_is_forced(visit->pod, entry->deadline_ns, turn->now_ns))
        return delete_by_force(visit);
    if (turn->now_ns < entry->not_before_ns)
        return turn_again(turn, visit->key, entry->not_before_ns - turn->now_ns);
    say_do_not_disrupt(visit);
    if (!pod_is_evictable(visit->pod, turn->symbols, turn->now_ns))
        return hold(visit);
    evict(visit);
}

static void reconcile(void *self, Turn *turn, Key key) {
    Memory *memory = self;
    const Pod *pod = state_pod(turn->state, state_find(turn->state, KUBE_POD, key.ns, key.name));
    const Node *node = pod ? node_of(turn, pod) : NULL;
    Entry *entry = node ? entry_of(memory, pod) : NULL;
    int64_t deadline_ns = node ? deadline_of(turn, node) : INT64_MAX;

    // A deadline may come nearer, never go further away.
    if (entry && deadline_ns < entry->deadline_ns)
        entry->deadline_ns = deadline_ns;
    if (!entry || !node_drain_chooses(turn->state, node, pod, entry->deadline_ns, turn->now_ns)) {
        ledger_strike(&memory->entries, key);
        return;
    }
    visit_pod(&(Visit){.turn = turn, .key = key, .entry = entry, .pod = pod, .node = node});
}

// --- what wakes a pod that waits

static void wake(Turn *turn, Entry *entry) {
    entry->wait = entry->wait == WAIT_BUDGET ? WAIT_ANSWER : WAIT_NONE;
    entry->not_before_ns = 0;
    turn_enqueue(turn, &eviction_queue_controller, entry->pod, 0);
}

static void observe_pod(Memory *memory, Turn *turn, const StateChange *change) {
    Key key = {change->ns, change->name};
    Entry *entry = ledger_find(&memory->entries, key);
    const Pod *before = change->before, *after = change->after;

    if (!entry || entry->busy)
        return;
    if (!after)
        return ledger_strike(&memory->entries, key);
    if (entry->wait == WAIT_DO_NOT_DISRUPT || (entry->wait == WAIT_BUDGET && before && before->ready != after->ready))
        wake(turn, entry);
}

static bool is_covered(const Turn *turn, const Entry *entry, const PodDisruptionBudget *budget) {
    const Pod *pod = NULL;

    if (entry->pod.ns == budget->meta.ns)
        pod = state_pod(turn->state, state_find(turn->state, KUBE_POD, entry->pod.ns, entry->pod.name));
    return pod && budget_covers_pod(budget, pod);
}

// A budget that has room again, or has gone, lets as many of the refused pods try as it has room for, those that try
// already included.
static void observe_budget(Memory *memory, Turn *turn, const StateChange *change) {
    const PodDisruptionBudget *after = change->after, *budget = after ? after : change->before;
    int64_t room = after ? after->disruptions_allowed : INT64_MAX;
    uint32_t at = 0;
    Entry *entry;

    if (room <= 0)
        return;
    while ((entry = ledger_next(&memory->entries, &at)))
        room -= entry->wait == WAIT_ANSWER && is_covered(turn, entry, budget);
    at = 0;
    while (room > 0 && (entry = ledger_next(&memory->entries, &at))) {
        if (entry->wait != WAIT_BUDGET || !is_covered(turn, entry, budget))
            continue;
        wake(turn, entry);
        room--;
    }
}

static void observe(void *self, Turn *turn, const StateChange *change) {
    Memory *memory = self;

    if (ledger_count(&memory->entries) == 0)
        return;
    if (change->kind == KUBE_POD)
        observe_pod(memory, turn, change);
    if (change->kind == KUBE_POD_DISRUPTION_BUDGET)
        observe_budget(memory, turn, change);
}

// --- what came of it

// Why the node goes: for the pod's owner to read.
static Slice reason_of(const Turn *turn, const Node *node) {
    const NodeClaim *claim = node ? node_claim(turn->state, node) : NULL;
    const Condition *reason =
        claim ? condition_get(&claim->conditions, turn->symbols, SLICE("DisruptionReason")) : NULL;

    if (reason && slice_eq_text(symbol_text(turn->symbols, reason->status), "True"))
        return symbol_text(turn->symbols, reason->reason);
    return SLICE("Forceful Termination");
}

static void say_gone(Turn *turn, const Entry *entry, const Node *node, IntentType how) {
    ObjectMeta meta = {.ns = entry->pod.ns, .name = entry->pod.name, .uid = entry->uid};
    Slice name = arena_printf(turn->arena, "%.*s/%.*s", SLICE_ARG(symbol_text(turn->symbols, meta.ns)),
                              SLICE_ARG(symbol_text(turn->symbols, meta.name)));

    if (how == INTENT_EVICT) {
        turn_event(turn, KUBE_POD, &meta, false, "Evicted", "Evicted pod: %.*s", SLICE_ARG(reason_of(turn, node)));
        say_once_per(turn, name);
        return;
    }
    turn_event(
        turn, KUBE_POD, &meta, false, "Disrupted",
        "Deleting the pod to accommodate the terminationTime %.*s of the node. The pod was granted %lld seconds of "
        "grace-period of its %d terminationGracePeriodSeconds. This bypasses the PDB of the pod and the "
        "do-not-disrupt annotation.",
        SLICE_ARG(time_print(turn->arena, entry->deadline_ns)), (long long)entry->granted_s, entry->own_grace_s);
    say_once_per(turn, name);
}

static bool is_refused_for_several(const Completion *completion) {
    return completion->kube_error && slice_eq(slice_of(completion->kube_error->err.text), MULTIPLE_BUDGETS);
}

// A budget is in the way: the node says so, and the pod waits.
static void refused(Turn *turn, Entry *entry, const Node *node, const Completion *completion) {
    bool several = is_refused_for_several(completion);

    if (node) {
        turn_event(turn, KUBE_NODE, &node->meta, true, "FailedDraining", "Failed to drain node, %s (Pod=%.*s/%.*s)",
                   several ? "eviction does not support multiple PDBs" : "evicting pod violates a PDB",
                   SLICE_ARG(symbol_text(turn->symbols, entry->pod.ns)),
                   SLICE_ARG(symbol_text(turn->symbols, entry->pod.name)));
        say_once_per(turn, arena_printf(turn->arena, "%.*s/%s", SLICE_ARG(symbol_text(turn->symbols, node->meta.name)),
                                        several ? "budgets" : "budget"));
    }
    entry->wait = WAIT_BUDGET;
    put_off(turn, entry, 0);
}

static void complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    Memory *memory = self;
    Entry *entry = ledger_find(&memory->entries, key);
    const Node *node;

    if (count == 0 || intent_is_aside(completions->type) || !entry)
        return;
    entry->busy = false;
    node = state_node(turn->state, state_find(turn->state, KUBE_NODE, NAME_EMPTY, entry->node));
    if (completions->code == OK)
        say_gone(turn, entry, node, completions->type);
    if (completions->code == OK || completions->code == ERR_NOT_FOUND || completions->code == ERR_CONFLICT)
        return ledger_strike(&memory->entries, key);
    if (completions->type == INTENT_EVICT &&
        (completions->code == ERR_THROTTLED || is_refused_for_several(completions)))
        return refused(turn, entry, node, completions);
    turn_log(turn, LOG_ERROR, "Reconciler error", "error",
             slice_of(completions->kube_error ? completions->kube_error->err.text : err_code_text(completions->code)),
             NULL);
    put_off(turn, entry, completions->kube_error ? completions->kube_error->retry_after_ns : 0);
}

const Controller eviction_queue_controller = {
    .name = "eviction-queue",
    .make = make,
    .free = forget_all,
    .observe = observe,
    .reconcile = reconcile,
    .complete = complete,
    .backoff_first_ns = EVICTION_BACKOFF_FIRST_MS * INT64_C(1000000),
    .backoff_max_ns = EVICTION_BACKOFF_MAX_MS * INT64_C(1000000),
};
