// Commands of a process that died. A command whose replacements all exist goes on: they are on their way, and paid for.
// Any other one is taken back by clean.c: of a deletion the proof is old, and replacements that were not created are
// found again by the next look.
#include "ctl/common/claim_facts.h"
#include "ctl/common/command_record.h"
#include "ctl/disruption/parts.h"

static Command *command_of(Disruptor *disruptor, Turn *turn, const Record *record) {
    Symbol uuid = symbol_find(turn->symbols, record->uuid);
    Command *command = uuid == INDEX_NONE ? NULL : commands_find(&disruptor->commands, uuid);

    return command ? command : commands_add_empty(&disruptor->commands, turn, record->uuid);
}

static DisruptMethod method_of(const Turn *turn, const NodeClaim *claim) {
    const Condition *reason = condition_get(&claim->conditions, turn->symbols, SLICE("DisruptionReason"));
    const Slice text = reason ? symbol_text(turn->symbols, reason->reason) : (Slice){0};

    for (DisruptMethod method = 0; method < DISRUPT_METHOD_COUNT; method++) {
        if (slice_eq_text(text, disrupt_method_word(method)))
            return method;
    }
    return METHOD_EXPIRATION; // which alone writes none
}

static void find_candidates(Disruptor *disruptor, Turn *turn) {
    Handle handle = HANDLE_NONE;
    Record record;

    while ((handle = state_next(turn->state, KUBE_NODE_CLAIM, handle)).generation) {
        const NodeClaim *claim = state_node_claim(turn->state, handle);
        const Node *node = claim_node(turn->state, claim);
        Symbol pool = labels_get(&claim->meta.labels, NAME_NODEPOOL);
        Command *command;

        if (!node || !record_of_object(&node->meta, turn->symbols, &record) || record.role != RECORD_CANDIDATE)
            continue;
        command = command_of(disruptor, turn, &record);
        command->phase = COMMAND_WAITING;
        command->due = turn->now;
        command->method = method_of(turn, claim);
        command->replacements = record.replacements;
        command->bound_ns = record.bound_ns;
        command->text = arena_printf(&command->arena, "%s/%.*s: %s", command_reason(command), SLICE_ARG(record.uuid),
                                     command_decision(command));
        command_add_node(
            command, (CommandNode){.claim_uid = claim->meta.uid, .claim = claim->meta.name, .node = node->meta.name});
        if (pool != INDEX_NONE)
            command_add_pool(command, pool);
    }
}

static void find_replacements(Disruptor *disruptor, Turn *turn) {
    Handle handle = HANDLE_NONE;
    Record record;

    while ((handle = state_next(turn->state, KUBE_NODE_CLAIM, handle)).generation) {
        const NodeClaim *claim = state_node_claim(turn->state, handle);

        if (record_of_object(&claim->meta, turn->symbols, &record) && record.role == RECORD_REPLACEMENT &&
            !claim->meta.deleting)
            command_add_created(command_of(disruptor, turn, &record), claim->meta.name);
    }
}

static void go_on(Turn *turn, Command *command) {
    disruption_hold(turn, command);
    for (vec_each(const CommandNode, at, &command->nodes))
        state_mark_deleting(turn->state, state_find_uid(turn->state, KUBE_NODE_CLAIM, at->claim_uid), true);
    turn_log(turn, LOG_INFO, "resuming disruption command", "command", command->text, NULL);
    turn_enqueue(turn, &disruption_controller, (Key){.ns = command->uuid}, 0);
}

void disruption_resume(Disruptor *disruptor, Turn *turn) {
    Command *next;

    find_candidates(disruptor, turn);
    find_replacements(disruptor, turn);
    for (Command *command = disruptor->commands.first; command; command = next) {
        next = command->next;
        if (command->nodes.count && command->replacements && command->created.count == command->replacements)
            go_on(turn, command);
        else
            disruption_end(disruptor, turn, command);
    }
}
