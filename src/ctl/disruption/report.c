// Events and log lines of disruption. Texts: reference lifecycle.md 4.16, 7.2, 7.3.
#include "ctl/disruption/parts.h"
#include "text/duration.h"

static bool is_warning(const char *reason) {
    return strcmp(reason, "NodeRepairBlocked") == 0;
}

static void event_on_claim(Turn *turn, const ObjectMeta *meta, const char *reason, Slice text) {
    turn_event(turn, KUBE_NODE_CLAIM, meta, is_warning(reason), reason, "%.*s", SLICE_ARG(text));
}

// On the Node and its NodeClaim, one event for each node whatever the text, as in Karpenter.
static void event_on_node(Turn *turn, const Node *node, const NodeClaim *claim, const char *reason, Slice text) {
    if (node) {
        turn_event(turn, KUBE_NODE, &node->meta, is_warning(reason), reason, "%.*s", SLICE_ARG(text));
        vec_last(turn->intents)->event.dedupe_key = symbol_text(turn->symbols, node->meta.uid);
    }
    if (claim) {
        event_on_claim(turn, &claim->meta, reason, text);
        vec_last(turn->intents)->event.dedupe_key = symbol_text(turn->symbols, claim->meta.uid);
    }
}

enum { RARE_MIN = 15, BLOCKED_POOL_MIN = 1 };

// What would be said at every look.
static bool is_rare(const char *reason) {
    return strcmp(reason, "Unconsolidatable") == 0 || is_warning(reason);
}

static void set_dedupe(Turn *turn, uint32_t from, int64_t ns) {
    for (uint32_t i = from; i < turn->intents->count; i++)
        turn->intents->items[i].event.dedupe_ns = ns;
}

static void report_pool(Turn *turn, const DisruptNote *note) {
    const NodePool *pool =
        state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, note->pool));

    if (!pool)
        return;
    turn_event(turn, KUBE_NODE_POOL, &pool->meta, is_warning(note->reason), note->reason, "%.*s",
               SLICE_ARG(note->text));
    vec_last(turn->intents)->event.dedupe_ns = (is_rare(note->reason) ? RARE_MIN : BLOCKED_POOL_MIN) * NS_PER_MIN;
}

void disruption_report_notes(Turn *turn, const DisruptFacts *facts, const DisruptNoteVec *notes) {
    for (vec_each(const DisruptNote, note, notes)) {
        uint32_t from = turn->intents->count;
        const NodeView *view;

        if (note->node == INDEX_NONE) {
            report_pool(turn, note);
            continue;
        }
        view = &facts->nodes.items[note->node];
        event_on_node(turn, view->node, view->claim, note->reason, note->text);
        if (is_rare(note->reason))
            set_dedupe(turn, from, RARE_MIN * NS_PER_MIN);
    }
}

// --- commands

static void event_on_nodes(Turn *turn, const Command *command, const char *reason, Slice text) {
    for (vec_each(const CommandNode, at, &command->nodes))
        event_on_node(turn, state_node(turn->state, state_find(turn->state, KUBE_NODE, NAME_EMPTY, at->node)),
                      state_node_claim(turn->state, state_find_uid(turn->state, KUBE_NODE_CLAIM, at->claim_uid)),
                      reason, text);
}

static Slice id_of(const Turn *turn, const Command *command) {
    return symbol_text(turn->symbols, command->uuid);
}

static void count_step(Turn *turn, const Command *command, int event) {
    DisruptionStep *step = &turn_intend(turn, INTENT_STEP)->step;

    step->event = event;
    step->method = command->method;
    step->nodes = command->nodes.count;
    step->replacements = command->replacements;
    step->pools = command->pools;
}

void disruption_report_reboot(Turn *turn, const Command *command) {
    for (vec_each(const CommandNode, at, &command->nodes))
        turn_log(turn, LOG_INFO, "committed node reboot", "command-id", id_of(turn, command), "NodeClaim",
                 symbol_text(turn->symbols, at->claim), "Node", symbol_text(turn->symbols, at->node), NULL);
}

void disruption_report_found(Turn *turn, const Command *command) {
    turn_log(turn, LOG_DEBUG, "found disruption command, proving it", "command-id", id_of(turn, command), "command",
             command->text, NULL);
    if (command->method == METHOD_CONSOLIDATION && command->replacements)
        event_on_nodes(turn, command, "ConsolidationCandidate",
                       arena_printf(turn->arena, "Consolidation candidate: %.*s", SLICE_ARG(command->text)));
}

void disruption_report_abandoned(Turn *turn, const Command *command, Slice why) {
    count_step(turn, command, DISRUPTION_REJECTED);
    turn_log(turn, LOG_DEBUG, "abandoning disruption command", "command-id", id_of(turn, command), "command",
             command->text, "reason", why, NULL);
}

void disruption_report_rejected(Turn *turn, const Command *command, ProposalVerdict verdict) {
    const char *why = proposal_verdict_text(verdict);

    disruption_report_abandoned(turn, command, slice_of(why));
    if (command->method == METHOD_CONSOLIDATION)
        event_on_nodes(
            turn, command, "ConsolidationRejected",
            arena_printf(turn->arena, "Consolidation rejected: %.*s, reason: %s", SLICE_ARG(command->text), why));
}

static Slice number(Turn *turn, uint32_t value) {
    return arena_printf(turn->arena, "%u", value);
}

void disruption_report_start(Turn *turn, const Command *command) {
    Slice old = disruption_old_text(turn, command);

    turn_log(turn, LOG_INFO, old.len ? arena_text(turn->arena, old) : "disrupting node(s)", "command-id",
             id_of(turn, command), "command", command->text, "decision", slice_of(command_decision(command)),
             "disrupted-node-count", number(turn, command->nodes.count), "replacement-node-count",
             number(turn, command->replacements), "pod-count", number(turn, command->pods), NULL);
}

void disruption_report_policy(Turn *turn, const Command *command, const RepairPolicy *policy) {
    bool has_bound = command->bound_ns != REPAIR_NO_BOUND;

    turn_log(turn, LOG_INFO, "selected repair policy", "Node", symbol_text(turn->symbols, command->nodes.items[0].node),
             "condition", slice_of(policy->condition), "status", slice_of(policy->status), "reason-regex",
             slice_of(policy->reason ? policy->reason : ""), "action",
             slice_of(policy->action == REPAIR_REBOOT ? "RebootNode" : "ReplaceNode"), "termination-grace-period",
             has_bound ? duration_print(turn->arena, command->bound_ns) : SLICE(""), NULL);
}

void disruption_report_started(Turn *turn, const Command *command) {
    count_step(turn, command, DISRUPTION_STARTED);
}

void disruption_report_waiting(Turn *turn, const Command *command, const NodeClaim *replacement) {
    event_on_claim(turn, &replacement->meta, "DisruptionLaunching",
                   arena_printf(turn->arena, "Launching NodeClaim: %s", command_reason(command)));
    event_on_claim(turn, &replacement->meta, "DisruptionWaitingReadiness",
                   SLICE("Waiting on readiness to continue disruption"));
}

void disruption_report_deleting(Turn *turn, const Command *command) {
    for (vec_each(const CommandNode, at, &command->nodes)) {
        const Node *node = state_node(turn->state, state_find(turn->state, KUBE_NODE, NAME_EMPTY, at->node));
        const NodeClaim *claim =
            state_node_claim(turn->state, state_find_uid(turn->state, KUBE_NODE_CLAIM, at->claim_uid));

        event_on_node(turn, node, NULL, "DisruptionTerminating",
                      arena_printf(turn->arena, "Disrupting Node: %s", command_reason(command)));
        event_on_node(turn, NULL, claim, "DisruptionTerminating",
                      arena_printf(turn->arena, "Disrupting NodeClaim: %s", command_reason(command)));
    }
}

void disruption_report_succeeded(Turn *turn, const Command *command) {
    turn_log(turn, LOG_DEBUG, "command succeeded", "command-id", id_of(turn, command), "command", command->text, NULL);
}

void disruption_report_failed(Turn *turn, const Command *command, Slice why) {
    count_step(turn, command, DISRUPTION_FAILED);
    turn_log(turn, LOG_ERROR, "failed terminating nodes while executing a disruption command", "command-id",
             id_of(turn, command), "command", command->text, "error", why, NULL);
}
