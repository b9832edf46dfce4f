// The steps of a reboot.
#include "ctl/node/reboot.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/conditions.h"
#include "ctl/common/node_facts.h"
#include "ctl/common/node_taints.h"
#include "ctl/common/notes.h"
#include "ctl/node/drain.h"
#include "ctl/node/eviction_queue.h"
#include "text/duration.h"
#include "text/value_edit.h"

static const Slice REQUESTED = SLICE_INIT("RebootRequested"), ISSUED = SLICE_INIT("RebootIssued");

// What the process remembers of a reboot. Losing it costs a call to the cloud, nothing else.
typedef struct {
    Key claim;
    Symbol uid;
    Mono asked;    // when the cloud was first asked
    bool issued;   // the cloud has accepted
    Slice refused; // why it will not, in `arena`
    Arena arena;
} RebootNote;

typedef struct {
    Turn *turn;
    Key key;
    RebootNote *note;
    const NodeClaim *claim;
    const Node *node; // NULL: there is none at the moment
} RebootPass;

// --- facts

static const Condition *rebooting(const Turn *turn, const NodeClaim *claim) {
    const Condition *condition = condition_get(&claim->conditions, turn->symbols, SLICE("Rebooting"));

    return condition && slice_eq_text(symbol_text(turn->symbols, condition->status), "True") ? condition : NULL;
}

static bool is_at(const Turn *turn, const NodeClaim *claim, Slice reason) {
    const Condition *condition = rebooting(turn, claim);

    return condition && slice_eq(symbol_text(turn->symbols, condition->reason), reason);
}

bool node_awaits_reboot(const Turn *turn, const Node *node) {
    const NodeClaim *claim = node_claim(turn->state, node);

    return claim && !claim->meta.deleting && is_at(turn, claim, REQUESTED);
}

static Slice annotation(const RebootPass *pass, Symbol key) {
    Symbol value = labels_get(&pass->claim->meta.annotations, key);

    return value == INDEX_NONE ? (Slice){0} : symbol_text(pass->turn->symbols, value);
}

// Whether the machine has restarted since its boot id was recorded.
static bool has_restarted(const RebootPass *pass) {
    Slice before = annotation(pass, NAME_REBOOT_BOOT_ID);

    return before.len && pass->node && pass->node->boot_id != NAME_EMPTY &&
           !slice_eq(symbol_text(pass->turn->symbols, pass->node->boot_id), before);
}

// When the drain has to end, since 1970; INT64_MAX: no bound. False: the annotation says nothing that can be obeyed.
static bool read_bound(const RebootPass *pass, int64_t since_ns, int64_t *ret_until_ns) {
    Slice text = annotation(pass, NAME_REBOOT_BOUND);
    int64_t bound_ns;

    *ret_until_ns = INT64_MAX;
    if (!text.len)
        return true;
    if (duration_parse(text, &bound_ns, NULL) != OK || bound_ns < 0)
        return false;
    *ret_until_ns = ns_add(since_ns, bound_ns);
    return true;
}

// --- writing

static void write_fence(const RebootPass *pass, bool fenced) {
    Turn *turn = pass->turn;
    Value *body = arena_new(turn->arena, Value);

    *body = value_map();
    value_put(turn->arena, value_make(turn->arena, body, "spec", NULL), SLICE("taints"),
              node_taints_value(turn->arena, turn->symbols, pass->node, NAME_REBOOTING,
                                fenced ? EFFECT_NO_SCHEDULE : EFFECT_NONE));
    turn_patch(turn, KUBE_NODE, NAME_EMPTY, pass->node->meta.name, KUBE_OBJECT, body, pass->node->meta.revision);
}

static void record_boot_id(const RebootPass *pass) {
    Turn *turn = pass->turn;
    Value *body = arena_new(turn->arena, Value);

    *body = value_map();
    value_put(turn->arena, value_make(turn->arena, body, "metadata", "annotations", NULL),
              symbol_text(turn->symbols, NAME_REBOOT_BOOT_ID),
              value_string(symbol_text(turn->symbols, pass->node->boot_id)));
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, pass->claim->meta.name, KUBE_OBJECT, body, 0);
}

static void patch_conditions(const RebootPass *pass, const Conditions *conditions) {
    turn_patch(pass->turn, KUBE_NODE_CLAIM, NAME_EMPTY, pass->claim->meta.name, KUBE_STATUS,
               conditions_patch(conditions), pass->claim->meta.revision);
}

static Conditions open_conditions(const RebootPass *pass) {
    return conditions_open(pass->turn, &claim_condition_rules, &pass->claim->meta, &pass->claim->conditions);
}

// The next reboot records a boot id of its own.
static void forget_boot_id(const RebootPass *pass) {
    Turn *turn = pass->turn;
    Value *body = arena_new(turn->arena, Value), *annotations;

    *body = value_map();
    annotations = value_make(turn->arena, body, "metadata", "annotations", NULL);
    value_put(turn->arena, annotations, symbol_text(turn->symbols, NAME_REBOOT_BOOT_ID), value_null());
    value_put(turn->arena, annotations, symbol_text(turn->symbols, NAME_REBOOT_BOUND), value_null());
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, pass->claim->meta.name, KUBE_OBJECT, body, 0);
}

static void remove_label(const RebootPass *pass) {
    Turn *turn = pass->turn;
    Value *body = arena_new(turn->arena, Value);

    *body = value_map();
    value_put(turn->arena, value_make(turn->arena, body, "metadata", "labels", NULL),
              symbol_text(turn->symbols, NAME_INITIALIZED), value_null());
    turn_patch(turn, KUBE_NODE, NAME_EMPTY, pass->node->meta.name, KUBE_OBJECT, body, 0);
}

static void say(const RebootPass *pass, bool warning, const char *reason, Slice message) {
    turn_event(pass->turn, KUBE_NODE_CLAIM, &pass->claim->meta, warning, reason, "%.*s", SLICE_ARG(message));
    vec_last(pass->turn->intents)->event.dedupe_ns = 30 * NS_PER_MIN;
}

// --- ends

// For metrics. The reboot was requested when Rebooting became True.
static void count_end(const RebootPass *pass, RebootResult result) {
    RebootStep *step = &turn_intend(pass->turn, INTENT_REBOOTED)->reboot;
    const Condition *initialized = condition_get(&pass->claim->conditions, pass->turn->symbols, SLICE("Initialized"));

    step->result = result;
    step->took_ns = pass->turn->wall_ns - rebooting(pass->turn, pass->claim)->transition_ns;
    step->recovered_ns = initialized ? pass->turn->wall_ns - initialized->transition_ns : 0;
}

static Slice name_of(const RebootPass *pass) {
    return symbol_text(pass->turn->symbols, pass->claim->meta.name);
}

// The node is replaced: what follows is an ordinary termination.
static void give_up(const RebootPass *pass, RebootResult result, Slice why) {
    count_end(pass, result);
    say(pass, true, "RebootFailed", why);
    turn_log(pass->turn, LOG_INFO, "reboot failed, replacing node", "NodeClaim", name_of(pass), "reason", why, NULL);
    turn_remove(pass->turn, KUBE_NODE_CLAIM, &pass->claim->meta);
}

// A bound that cannot be obeyed: the node stays as it is.
static void refuse(const RebootPass *pass) {
    Slice why =
        SLICE("the annotation karpenter.sh/reboot-termination-grace-period is no duration, expected one such as "
              "\"10m\"");
    Conditions conditions = open_conditions(pass);

    count_end(pass, REBOOT_INVALID_REQUEST);
    say(pass, true, "RebootFailed", why);
    if (pass->node && node_is_fenced(pass->node))
        write_fence(pass, false);
    conditions_set_false(&conditions, "Rebooting", "RebootFailed", why);
    patch_conditions(pass, &conditions);
}

static void succeed(const RebootPass *pass) {
    Conditions conditions = open_conditions(pass);

    count_end(pass, REBOOT_SUCCEEDED);
    turn_log(pass->turn, LOG_INFO, "rebooted node", "NodeClaim", name_of(pass), "Node",
             symbol_text(pass->turn->symbols, pass->node->meta.name), NULL);
    conditions_set_false(&conditions, "Rebooting", "RebootSucceeded", SLICE("the node is ready after its reboot"));
    conditions_clear(&conditions, "DisruptionReason");
    patch_conditions(pass, &conditions);
    forget_boot_id(pass);
}

// --- until the cloud has accepted

static void note_issued(const RebootPass *pass) {
    Conditions conditions = open_conditions(pass);

    conditions_set_true_because(&conditions, "Rebooting", ISSUED.ptr, SLICE("the cloud was asked to reboot the node"));
    conditions_set_unknown(&conditions, "Initialized", "Rebooting", SLICE("the node is being rebooted"));
    patch_conditions(pass, &conditions);
    if (pass->node)
        remove_label(pass);
}

// Equal for repeated calls, also of another process: the claim, the wish and the boot that it is to end.
static Slice operation_of(const RebootPass *pass) {
    const Turn *turn = pass->turn;

    return arena_printf(turn->arena, "%.*s/%lld/%.*s", SLICE_ARG(symbol_text(turn->symbols, pass->claim->meta.uid)),
                        (long long)(rebooting(turn, pass->claim)->transition_ns / NS_PER_S),
                        SLICE_ARG(annotation(pass, NAME_REBOOT_BOOT_ID)));
}

static void ask_cloud(const RebootPass *pass) {
    Intent *intent = turn_intend(pass->turn, INTENT_REBOOT);

    if (!mono_is_set(pass->note->asked))
        pass->note->asked = pass->turn->now;
    intent->provider_id = pass->claim->provider_id;
    intent->operation = operation_of(pass);
}

// Hands the pods that may leave now to the eviction queue. O(pods of the node).
static bool is_drained(const RebootPass *pass) {
    const Turn *turn = pass->turn;
    NodeDrain drain = node_drain_look(turn->arena, turn->state, pass->node, INT64_MAX, turn->wall_ns);

    for (vec_each(const Handle, handle, &drain.chosen)) {
        const Pod *pod = state_pod(turn->state, *handle);

        turn_enqueue(pass->turn, &eviction_queue_controller, (Key){pod->ns, pod->name}, 0);
    }
    return !drain.waiting;
}

static int64_t earlier(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// Whether nothing is left to wait for before the call. Else there is another pass in time.
static bool may_be_issued(const RebootPass *pass, int64_t since_ns, int64_t until_ns) {
    int64_t now_ns = pass->turn->wall_ns, least_ns = ns_add(since_ns, REBOOT_DRAIN_LEAST_S * NS_PER_S);

    if (now_ns < least_ns) {
        turn_again(pass->turn, pass->key, least_ns - now_ns);
        (void)is_drained(pass);
        return false;
    }
    if (now_ns >= until_ns || is_drained(pass))
        return true;
    turn_again(pass->turn, pass->key,
               until_ns == INT64_MAX ? REBOOT_POLL_S * NS_PER_S : earlier(until_ns - now_ns, REBOOT_POLL_S * NS_PER_S));
    return false;
}

static void go_on_requested(const RebootPass *pass) {
    int64_t since_ns = rebooting(pass->turn, pass->claim)->transition_ns, until_ns;

    if (pass->note->refused.len)
        return give_up(pass, REBOOT_PROVIDER_ERROR, pass->note->refused);
    if (!read_bound(pass, since_ns, &until_ns))
        return refuse(pass);
    if (pass->note->issued || has_restarted(pass))
        return note_issued(pass);
    if (!pass->node || pass->node->boot_id == NAME_EMPTY)
        return turn_again(pass->turn, pass->key, REBOOT_POLL_S * NS_PER_S);
    if (!node_is_fenced(pass->node))
        return write_fence(pass, true);
    if (!may_be_issued(pass, since_ns, until_ns))
        return;
    if (!annotation(pass, NAME_REBOOT_BOOT_ID).len)
        return record_boot_id(pass);
    ask_cloud(pass);
}

// --- until the node is back

static void go_on_issued(const RebootPass *pass) {
    const Turn *turn = pass->turn;
    const Condition *initialized = condition_get(&pass->claim->conditions, turn->symbols, SLICE("Initialized"));
    int64_t since_ns = initialized ? initialized->transition_ns : rebooting(turn, pass->claim)->transition_ns;
    int64_t left_ns = ns_add(since_ns, REBOOT_RECOVERY_S * NS_PER_S) - turn->wall_ns;

    if (has_restarted(pass) && node_is_fenced(pass->node)) {
        say(pass, false, "RebootObserved", SLICE("the machine has restarted"));
        return write_fence(pass, false);
    }
    if (has_restarted(pass) && node_is_ready(pass->node, turn->symbols))
        return succeed(pass);
    if (left_ns <= 0)
        return give_up(pass, REBOOT_RECOVERY_TIMEOUT, SLICE("the node was not ready 20 minutes after its reboot"));
    turn_again(pass->turn, pass->key, earlier(left_ns, REBOOT_POLL_S * NS_PER_S));
}

static RebootNote *note_of(NoteTable *notes, Key key, const NodeClaim *claim) {
    RebootNote *note = notes_add(notes, key);

    if (note->uid == claim->meta.uid)
        return note;
    arena_free(&note->arena);
    *note = (RebootNote){.claim = key, .uid = claim->meta.uid};
    return note;
}

static void forget(NoteTable *notes, Key key) {
    RebootNote *note = notes_find(notes, key);

    if (!note)
        return;
    arena_free(&note->arena);
    notes_remove(notes, key);
}

static void reboot_reconcile(void *self, Turn *turn, Key key) {
    RebootPass pass = {.turn = turn, .key = key, .claim = claim_of_key(turn, key, NULL)};

    if (!pass.claim || pass.claim->meta.deleting || !rebooting(turn, pass.claim))
        return forget(self, key);
    pass.note = note_of(self, key, pass.claim);
    pass.node = claim_node(turn->state, pass.claim);
    if (is_at(turn, pass.claim, ISSUED))
        go_on_issued(&pass);
    else
        go_on_requested(&pass);
}

// --- changes and completions

static void wake_claim(Turn *turn, const NodeClaim *claim) {
    if (claim && claim_is_rebooting(claim, turn->symbols))
        turn_enqueue(turn, &reboot_controller, claim_key(claim), 0);
}

static void wake_node(Turn *turn, Symbol name) {
    const Node *node = state_node(turn->state, state_find(turn->state, KUBE_NODE, NAME_EMPTY, name));

    if (node && node_is_fenced(node))
        wake_claim(turn, node_claim(turn->state, node));
}

static void reboot_observe(void *self, Turn *turn, const StateChange *change) {
    const Pod *pod = change->before;

    if (change->kind == KUBE_NODE_CLAIM && !change->after)
        forget(self, (Key){.name = change->name});
    if (change->kind == KUBE_NODE_CLAIM)
        wake_claim(turn, change->after);
    if (change->kind == KUBE_NODE && change->after)
        wake_claim(turn, node_claim(turn->state, change->after));
    if (change->kind == KUBE_POD && pod && pod->node_name != NAME_EMPTY)
        wake_node(turn, pod->node_name);
}

// What the cloud cannot say at the moment it may say later; anything else it says is final.
static bool may_be_repeated(const RebootNote *note, const Turn *turn, ErrCode code) {
    return (code == ERR_THROTTLED || code == ERR_TIMEOUT || code == ERR_IO) &&
           mono_since(turn->now, note->asked) < REBOOT_ISSUE_MAX_S * NS_PER_S;
}

static void take_answer(RebootNote *note, Turn *turn, Key key, const Completion *completion) {
    if (completion->code == OK)
        note->issued = true;
    else if (may_be_repeated(note, turn, completion->code))
        return turn_retry(turn, key);
    else
        note->refused = claim_message(&note->arena, completion_text(completion));
    turn_succeed(turn, key);
    turn_again(turn, key, 0);
}

static void reboot_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    RebootNote *note = notes_find(self, key);
    const Completion *last = count ? &completions[count - 1] : NULL;

    if (!last || intent_is_aside(last->type))
        return;
    if (note && last->type == INTENT_REBOOT)
        return take_answer(note, turn, key, last);
    claim_settle(turn, key, last);
    if (last->code == OK)
        turn_again(turn, key, 0);
}

static void reboot_release(void *self) {
    uint32_t at = 0;

    for (RebootNote *note = notes_next(self, &at); note; note = notes_next(self, &at))
        arena_free(&note->arena);
}

const Controller reboot_controller = {
    .name = "nodeclaim.reboot",
    .memory_size = sizeof(NoteTable),
    .notes = {{0, sizeof(RebootNote)}},
    .release = reboot_release,
    .observe = reboot_observe,
    .reconcile = reboot_reconcile,
    .complete = reboot_complete,
    .backoff_first_ns = NS_PER_S,
    .backoff_max_ns = 30 * NS_PER_S,
};
