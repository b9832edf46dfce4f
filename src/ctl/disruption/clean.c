// What commands leave behind when they end, and what a process that died, or Karpenter, left: taken off, level by
// level, from every NodeClaim that no command is under way for.
#include "ctl/common/claim_facts.h"
#include "ctl/common/command_record.h"
#include "ctl/common/conditions.h"
#include "ctl/common/node_facts.h"
#include "ctl/common/node_taints.h"
#include "ctl/disruption/parts.h"
#include "text/value_edit.h"

static bool has_record(const ObjectMeta *meta) {
    return labels_get(&meta->annotations, NAME_COMMAND) != INDEX_NONE;
}

static bool has_reason(const NodeClaim *claim, const Symbols *symbols) {
    return condition_get(&claim->conditions, symbols, SLICE("DisruptionReason"));
}

// A replacement is known by its record before the answer to its creation has come.
static bool is_of_command(const Disruptor *disruptor, const Turn *turn, const ObjectMeta *meta) {
    Record record;
    Symbol uuid;

    if (!record_of_object(meta, turn->symbols, &record))
        return false;
    uuid = symbol_find(turn->symbols, record.uuid);
    return uuid != INDEX_NONE && commands_find(&disruptor->commands, uuid);
}

// A command that is being proved has written nothing yet.
static bool is_known(const Disruptor *disruptor, const Turn *turn, const NodeClaim *claim) {
    const Command *command = commands_of_claim(&disruptor->commands, claim->meta.uid);

    return (command && command->phase != COMMAND_PROVING) || is_of_command(disruptor, turn, &claim->meta);
}

// A node that is going away keeps its taint.
static bool is_going(const Turn *turn, const NodeClaim *claim) {
    return state_claim_is_deleting(turn->state, state_find_uid(turn->state, KUBE_NODE_CLAIM, claim->meta.uid));
}

bool disruption_is_left_over(const Disruptor *disruptor, const Turn *turn, const NodeClaim *claim) {
    const Node *node = claim_node(turn->state, claim);
    bool left = has_record(&claim->meta) || has_reason(claim, turn->symbols) ||
                (node && (has_record(&node->meta) || node_is_disrupted(node)));

    return left && !claim_is_rebooting(claim, turn->symbols) && !is_going(turn, claim) &&
           !is_known(disruptor, turn, claim);
}

// --- taking it off

static void remove_record(const Turn *turn, Value *body) {
    value_put(turn->arena, value_make(turn->arena, body, "metadata", "annotations", NULL),
              symbol_text(turn->symbols, NAME_COMMAND), value_null());
}

static void clean_node(Turn *turn, const Node *node) {
    Value *body = arena_new(turn->arena, Value);
    bool tainted = node_is_disrupted(node);

    if (node->meta.deleting || !(tainted || has_record(&node->meta)))
        return;
    *body = value_map();
    if (has_record(&node->meta))
        remove_record(turn, body);
    if (tainted)
        value_put(turn->arena, value_make(turn->arena, body, "spec", NULL), SLICE("taints"),
                  node_taints_value(turn->arena, turn->symbols, node, NAME_DISRUPTED, EFFECT_NONE));
    turn_patch(turn, KUBE_NODE, NAME_EMPTY, node->meta.name, KUBE_OBJECT, body, node->meta.revision);
}

static void clean_reason(Turn *turn, const NodeClaim *claim) {
    Conditions conditions = conditions_open(turn, &claim_condition_rules, &claim->meta, &claim->conditions);

    if (conditions_clear(&conditions, "DisruptionReason"))
        turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name, KUBE_STATUS, conditions_patch(&conditions),
                   claim->meta.revision);
}

// A replacement whose command ended before it joined the cluster is not needed: nothing runs on it.
static bool is_unneeded(const Turn *turn, const NodeClaim *claim) {
    return has_record(&claim->meta) && !claim_is(claim, turn->symbols, "Registered");
}

static void clean_record(Turn *turn, const NodeClaim *claim) {
    Value *body = arena_new(turn->arena, Value);

    if (!has_record(&claim->meta))
        return;
    *body = value_map();
    remove_record(turn, body);
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name, KUBE_OBJECT, body, 0);
}

void disruption_clean(const Disruptor *disruptor, Turn *turn, Key key) {
    const NodeClaim *claim = claim_of_key(turn, key, NULL);
    const Node *node;

    if (!claim || !disruption_is_left_over(disruptor, turn, claim))
        return;
    if (is_unneeded(turn, claim))
        return turn_remove(turn, KUBE_NODE_CLAIM, &claim->meta);
    node = claim_node(turn->state, claim);
    if (node)
        clean_node(turn, node);
    clean_reason(turn, claim); // before the record: it carries the revision that it was read at
    clean_record(turn, claim);
}

// --- the end of a command

static void look_at(Turn *turn, Symbol claim) {
    turn_enqueue(turn, &disruption_controller, (Key){.name = claim}, 0);
}

void disruption_end(Disruptor *disruptor, Turn *turn, Command *command) {
    disruption_let_go(turn, command);
    for (vec_each(const CommandNode, at, &command->nodes)) {
        Handle claim = state_find_uid(turn->state, KUBE_NODE_CLAIM, at->claim_uid);

        if (!claim.generation || at->is_deleted)
            continue;
        state_mark_deleting(turn->state, claim, false);
        look_at(turn, at->claim);
    }
    for (vec_each(const Symbol, created, &command->created))
        look_at(turn, *created);
    commands_remove(&disruptor->commands, command);
    disruptor->changed = true;
    turn_enqueue(turn, &disruption_controller, (Key){0}, 0);
}
