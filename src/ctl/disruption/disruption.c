// The controller of disruption: what it watches, and its keys.
#include "ctl/disruption/disruption.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/node_facts.h"
#include "ctl/disruption/parts.h"
#include "model/pod_predicates.h"

static void disruption_release(void *self) {
    Disruptor *disruptor = self;

    commands_free(&disruptor->commands);
    demand_free(&disruptor->demand);
}

// --- changes

static void changed(Disruptor *disruptor, Turn *turn) {
    if (disruptor->changed)
        return;
    disruptor->changed = true;
    disruption_call(disruptor, turn);
}

// The words of a claim that decide whether and how it may be disrupted.
static bool claim_says_the_same(const NodeClaim *before, const NodeClaim *after, const Symbols *symbols) {
    static const char *const words[] = {"Consolidatable", "Drifted", "Initialized", "InstanceTerminating", "Rebooting"};

    if (!before || before->meta.deleting != after->meta.deleting)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (claim_is(before, symbols, words[i]) != claim_is(after, symbols, words[i]))
            return false;
    }
    return true;
}

static void look_at_claim(const Disruptor *disruptor, Turn *turn, const NodeClaim *claim) {
    const Command *command = commands_awaiting(&disruptor->commands, claim->meta.name);

    if (command)
        turn_enqueue(turn, &disruption_controller, (Key){.ns = command->uuid}, 0);
    else if (disruption_is_left_over(disruptor, turn, claim))
        turn_enqueue(turn, &disruption_controller, claim_key(claim), 0);
}

static void observe_claim(Disruptor *disruptor, Turn *turn, const StateChange *change) {
    const NodeClaim *before = change->before, *after = change->after;
    const Command *command = after ? NULL : commands_awaiting(&disruptor->commands, change->name);

    if (after)
        look_at_claim(disruptor, turn, after);
    else if (command)
        turn_enqueue(turn, &disruption_controller, (Key){.ns = command->uuid}, 0);
    if (!after || !claim_says_the_same(before, after, turn->symbols))
        changed(disruptor, turn);
}

static bool annotation_differs(const Node *before, const Node *after, Symbol key) {
    return labels_get(&before->meta.annotations, key) != labels_get(&after->meta.annotations, key);
}

// Whether a condition came, went, or says something else since a heartbeat before, or somebody vetoes repair.
static bool health_differs(const Node *before, const Node *after) {
    if (before->conditions.count != after->conditions.count || annotation_differs(before, after, NAME_DO_NOT_REPAIR))
        return true;
    for (uint32_t i = 0; i < after->conditions.count; i++) {
        const Condition *was = &before->conditions.items[i], *is = &after->conditions.items[i];

        if (was->type != is->type || was->status != is->status || was->reason != is->reason)
            return true;
    }
    return false;
}

static void observe_node(Disruptor *disruptor, Turn *turn, const Node *before, const Node *after) {
    const NodeClaim *claim = after ? node_claim(turn->state, after) : NULL;

    if (claim)
        look_at_claim(disruptor, turn, claim);
    if (!before || !after || node_is_ready(before, turn->symbols) != node_is_ready(after, turn->symbols) ||
        annotation_differs(before, after, NAME_DO_NOT_DISRUPT) ||
        (turn->settings->gate_node_repair && health_differs(before, after)))
        changed(disruptor, turn);
}

// A pod that came, went, or ended makes other moves possible; what happens to it in between does not.
static void observe_pod(Disruptor *disruptor, Turn *turn, const Pod *before, const Pod *after) {
    if (!before || !after || before->node_name != after->node_name || pod_is_terminal(before) != pod_is_terminal(after))
        changed(disruptor, turn);
}

static void disruption_observe(void *self, Turn *turn, const StateChange *change) {
    const NodePool *before, *after;

    if (!turn->settings->disruption)
        return;
    switch (change->kind) {
    case KUBE_NODE_CLAIM:
        return observe_claim(self, turn, change);
    case KUBE_NODE:
        return observe_node(self, turn, change->before, change->after);
    case KUBE_POD:
        return observe_pod(self, turn, change->before, change->after);
    case KUBE_NODE_POOL:
        before = change->before;
        after = change->after;
        if (!before || !after || before->meta.generation != after->meta.generation)
            changed(self, turn);
        return;
    case KUBE_POD_DISRUPTION_BUDGET:
        return changed(self, turn);
    default:
        return;
    }
}

static void disruption_start_up(void *self, Turn *turn) {
    Disruptor *disruptor = self;

    if (!turn->settings->disruption)
        return;
    disruption_resume(disruptor, turn);
    disruptor->started = true;
    disruptor->look_at = turn->now;
    disruption_call(disruptor, turn);
}

// --- turns

static void disruption_reconcile(void *self, Turn *turn, Key key) {
    Disruptor *disruptor = self;
    Command *command;

    commands_forget(&disruptor->commands);
    if (key.name != NAME_EMPTY)
        return disruption_clean(disruptor, turn, key);
    if (key.ns == NAME_EMPTY)
        return disruption_look(disruptor, turn);
    command = commands_find(&disruptor->commands, key.ns);
    if (!command)
        return;
    if (command->reboots)
        disruption_request_reboot(disruptor, turn, command);
    else
        disruption_go_on(disruptor, turn, command);
}

static void complete_whole(Disruptor *disruptor, Turn *turn, const Completion *completions, uint32_t count) {
    if (completions[0].type == INTENT_DISRUPT)
        return disruption_looked(disruptor, turn, &completions[0]);
    if (disruptor->activity == DISRUPTOR_STARTING)
        disruption_started(disruptor, turn, completions, count);
    disruption_call(disruptor, turn); // looks and proofs go on while commands wait
}

static void disruption_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    Disruptor *disruptor = self;
    Command *command;

    commands_forget(&disruptor->commands);
    if (key.name != NAME_EMPTY)
        return claim_settle(turn, key, &completions[count - 1]);
    if (key.ns == NAME_EMPTY)
        return complete_whole(disruptor, turn, completions, count);
    command = commands_find(&disruptor->commands, key.ns);
    if (command && command->reboots)
        disruption_reboot_requested(disruptor, turn, command, &completions[count - 1]);
    else if (command && command->phase == COMMAND_DELETING)
        disruption_deleted(disruptor, turn, command, completions, count);
}

const Controller disruption_controller = {
    .name = "disruption",
    .ns_label = "uuid",
    .memory_size = sizeof(Disruptor),
    .release = disruption_release,
    .observe = disruption_observe,
    .start = disruption_start_up,
    .reconcile = disruption_reconcile,
    .complete = disruption_complete,
    .backoff_first_ns = NS_PER_S,
    .backoff_max_ns = 10 * NS_PER_S,
};
