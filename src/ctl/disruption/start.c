// The start of commands. For each node of a command the Node gets its record and the taint in one write, then the
// NodeClaim its condition; then the replacements are created. Only when all of it stands in the API server the nodes
// are marked as deleting: from then on the provisioner plans for their pods, and finds the replacements.
#include "ctl/common/command_record.h"
#include "ctl/common/conditions.h"
#include "ctl/common/node_facts.h"
#include "ctl/common/node_taints.h"
#include "ctl/common/pool_facts.h"
#include "ctl/disruption/parts.h"
#include "ctl/provision/claim.h"
#include "disrupt/repair/history.h"
#include "text/duration.h"
#include "text/value_edit.h"

// --- writing

static Slice record_of(const Turn *turn, const Command *command, RecordRole role) {
    return record_print(turn->arena, &(Record){.uuid = symbol_text(turn->symbols, command->uuid),
                                               .role = role,
                                               .replacements = command->replacements,
                                               .bound_ns = command->bound_ns});
}

static void put_record(const Turn *turn, Value *object, const Command *command, RecordRole role) {
    value_put(turn->arena, value_make(turn->arena, object, "metadata", "annotations", NULL),
              symbol_text(turn->symbols, NAME_COMMAND), value_string(record_of(turn, command, role)));
}

static void tag_last(Turn *turn, const Command *command) {
    vec_last(turn->intents)->tag = command->uuid;
}

// What the mark of an object is made of: the object is the one that it was, stays, has no mark, and has that list.
static void give(Turn *turn, const ObjectMeta *meta, const char *part, Slice list, Value items) {
    Value *given = arena_new(turn->arena, Value), *own;

    *given = value_map();
    own = value_make(turn->arena, given, "metadata", NULL);
    value_put(turn->arena, own, SLICE("uid"), value_string(symbol_text(turn->symbols, meta->uid)));
    value_put(turn->arena, own, SLICE("deletionTimestamp"), value_null());
    value_put(turn->arena, value_make(turn->arena, own, "annotations", NULL), symbol_text(turn->symbols, NAME_COMMAND),
              value_null());
    value_put(turn->arena, value_make(turn->arena, given, part, NULL), list, items);
    vec_last(turn->intents)->given = given;
}

static void taint_node(Turn *turn, const Command *command, const Node *node) {
    Value *body = arena_new(turn->arena, Value);

    *body = value_map();
    put_record(turn, body, command, RECORD_CANDIDATE);
    value_put(turn->arena, value_make(turn->arena, body, "spec", NULL), SLICE("taints"),
              node_taints_value(turn->arena, turn->symbols, node, NAME_DISRUPTED, EFFECT_NO_SCHEDULE));
    turn_patch(turn, KUBE_NODE, NAME_EMPTY, node->meta.name, KUBE_OBJECT, body, node->meta.revision);
    give(turn, &node->meta, "spec", SLICE("taints"),
         node_taints_value(turn->arena, turn->symbols, node, NAME_DISRUPTED, EFFECT_NONE));
    tag_last(turn, command);
}

// Where and of what image a repair is, for the pace of the next ones: first of all, so that none is forgotten.
static void note_repair(Turn *turn, const Command *command, const NodeClaim *claim) {
    const NodePool *pool = pool_of_claim(turn->state, claim);
    Symbol zone = labels_get(&claim->meta.labels, NAME_ZONE);
    PastRepair repair = {.at_ns = turn->wall_ns,
                         .zone = symbol_text(turn->symbols, zone == INDEX_NONE ? NAME_EMPTY : zone),
                         .image = symbol_text(turn->symbols, claim->image_id)};
    Value *body = arena_new(turn->arena, Value);

    if (!pool)
        return;
    *body = value_map();
    value_put(turn->arena, value_make(turn->arena, body, "metadata", "annotations", NULL),
              symbol_text(turn->symbols, NAME_REPAIRS),
              value_string(repair_history_add(turn->arena, pool, turn->symbols, repair)));
    turn_patch(turn, KUBE_NODE_POOL, NAME_EMPTY, pool->meta.name, KUBE_OBJECT, body, 0);
    tag_last(turn, command);
}

static void set_reason(Turn *turn, const Command *command, const NodeClaim *claim) {
    Conditions conditions = conditions_open(turn, &claim_condition_rules, &claim->meta, &claim->conditions);
    const char *reason = command_reason(command);
    Value now = *value_at(conditions_patch(&conditions), "status", "conditions", NULL);

    conditions_set_true_because(&conditions, "DisruptionReason", reason, slice_of(reason));
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name, KUBE_STATUS, conditions_patch(&conditions),
               claim->meta.revision);
    give(turn, &claim->meta, "status", SLICE("conditions"), now);
    tag_last(turn, command);
}

static void create_replacement(Turn *turn, const Command *command, const PlannedClaim *planned, int64_t paid_back_ns) {
    ClaimContent content = {.labels = &planned->labels,
                            .requirements = &planned->requirements,
                            .requests = planned->pool->is_static ? NULL : &planned->requests,
                            .is_dynamic = !planned->pool->is_static,
                            .min_values_relaxed = planned->min_values_relaxed};
    Value *object = arena_new(turn->arena, Value);

    *object = provision_claim_value(turn->arena, turn->symbols, planned->pool, &content, NULL);
    put_record(turn, object, command, RECORD_REPLACEMENT);
    if (paid_back_ns)
        value_put(turn->arena, value_make(turn->arena, object, "metadata", "annotations", NULL),
                  symbol_text(turn->symbols, NAME_PAID_BACK_AT), value_string(time_print(turn->arena, paid_back_ns)));
    turn_create(turn, KUBE_NODE_CLAIM, object);
    vec_last(turn->intents)->step.method = command->method; // for metrics
    tag_last(turn, command);
}

// --- a command

// Whether a former command's marks are still to be taken off, of which some may be already: who overwrites them is in
// two commands at once, or loses what it wrote.
static bool is_marked(const Turn *turn, const Node *node, const NodeClaim *claim) {
    return labels_get(&node->meta.annotations, NAME_COMMAND) != INDEX_NONE || node_is_disrupted(node) ||
           condition_get(&claim->conditions, turn->symbols, SLICE("DisruptionReason"));
}

// The present Node and NodeClaim; false: one is gone, or going, or marked, or pods are expected there.
static bool find_node(const Turn *turn, const CommandNode *at, const Node **ret_node, const NodeClaim **ret_claim) {
    Handle claim = state_find_uid(turn->state, KUBE_NODE_CLAIM, at->claim_uid);
    Handle node = state_node_of_claim(turn->state, claim);

    *ret_node = state_node(turn->state, node);
    *ret_claim = state_node_claim(turn->state, claim);
    return *ret_node && *ret_claim && !(*ret_node)->meta.deleting && !is_marked(turn, *ret_node, *ret_claim) &&
           !state_claim_is_deleting(turn->state, claim) &&
           mono_reached(turn->now, state_nominated_until(turn->state, node));
}

static bool exceeds_limits(const CommandList *commands, Turn *turn, const Command *command) {
    Slice complaint = disruption_limits_complaint(commands, turn, command);

    if (complaint.len)
        turn_log(turn, LOG_INFO, "no room for replacements", "command-id", symbol_text(turn->symbols, command->uuid),
                 "command", command->text, "reason", complaint, NULL);
    return complaint.len > 0;
}

static bool has_changed(const Turn *turn, const Command *command) {
    const NodeClaim *claim;
    const Node *node;

    for (vec_each(const CommandNode, at, &command->nodes)) {
        if (!find_node(turn, at, &node, &claim))
            return true;
    }
    return false;
}

bool disruption_start(const CommandList *commands, Turn *turn, Command *command, const DisruptFacts *facts,
                      const DisruptCommand *found) {
    const NodeClaim *claim;
    const Node *node;

    disruption_charge(command, &found->replacements);
    if (has_changed(turn, command) || exceeds_limits(commands, turn, command))
        return false;
    command->replacements = found->replacements.count;
    command->price_per_hour = found->price_per_hour;
    if (found->repair)
        disruption_report_policy(turn, command, found->repair);
    if (!command->reboots)
        disruption_report_start(turn, command);
    for (vec_each(const CommandNode, at, &command->nodes)) {
        if (!find_node(turn, at, &node, &claim))
            continue;
        if (command->method == METHOD_REPAIR)
            note_repair(turn, command, claim);
        if (command->reboots) {
            disruption_note_reboot(turn, command, claim);
            continue;
        }
        taint_node(turn, command, node);
        if (command->method != METHOD_EXPIRATION) // evictions of what expires are forceful terminations
            set_reason(turn, command, claim);
    }
    disruption_order(turn, command);
    for (vec_each(const PlannedClaim, planned, &found->replacements))
        create_replacement(turn, command, planned, found->paid_back_ns);
    for (vec_each(const uint32_t, at, &found->destinations)) {
        symbol_hold(&command->holder, facts->nodes.items[*at].name);
        vec_push(&command->arena, &command->destinations, facts->nodes.items[*at].name);
    }
    command->pays_back_ns = found->paid_back_ns ? found->paid_back_ns - facts->wall_ns : 0;
    command->phase = COMMAND_STARTING;
    command->due = turn->now;
    return true;
}

// --- what became of it

static void mark(Turn *turn, Command *command) {
    disruption_hold(turn, command);
    for (vec_each(const CommandNode, at, &command->nodes)) {
        Handle claim = state_find_uid(turn->state, KUBE_NODE_CLAIM, at->claim_uid);

        if (claim.generation)
            state_mark_deleting(turn->state, claim, true);
    }
}

static void nominate(Turn *turn, const Command *command) {
    int64_t window_ns = 2 * turn->settings->batch_max_ns;

    for (vec_each(const Symbol, name, &command->destinations)) {
        Handle node = state_find(turn->state, KUBE_NODE, NAME_EMPTY, *name);

        if (!node.generation)
            continue;
        state_nominate(turn->state, node, mono_after(turn->now, window_ns > 10 * NS_PER_S ? window_ns : 10 * NS_PER_S));
        state_settle(turn->state, node, mono_after(turn->now, command->pays_back_ns));
    }
}

// Replacements are created in the order in which they were ordered.
static void take_created(Turn *turn, Command *command, Symbol claim) {
    state_order_made(turn->state, command->orders.items[command->created.count], claim);
    command_add_created(command, claim);
}

static void take_answer(CommandList *commands, Turn *turn, const Completion *completion, Command **ret_failed) {
    Command *command = commands_find(commands, (Symbol)completion->tag);

    if (!command)
        return;
    if (completion->code != OK)
        *ret_failed = command;
    else if (completion->type == INTENT_CREATE)
        take_created(turn, command, symbol_intern(turn->symbols, kube_name(completion->object)));
}

// Writes of the batch behind the one that failed were not made.
static bool has_begun(const Command *command, const Completion *completions, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if ((Symbol)completions[i].tag == command->uuid)
            return true;
    }
    return false;
}

// Its first write that was not made is why. Another's write of the same object comes first now and then: pods that come
// to a node make its NodeClaim not consolidatable.
static void give_up(Disruptor *disruptor, Turn *turn, Command *command, const Completion *why) {
    Slice text = arena_printf(turn->arena, "marking disrupted, %.*s", SLICE_ARG(completion_text(why)));

    disruption_drop_orders(turn, command, why);
    if (why->code == ERR_CONFLICT)
        disruption_report_abandoned(turn, command, text);
    else
        disruption_report_failed(turn, command, text);
    disruption_end(disruptor, turn, command);
}

void disruption_started(Disruptor *disruptor, Turn *turn, const Completion *completions, uint32_t count) {
    Command *failed = NULL, *next;

    disruptor->activity = DISRUPTOR_IDLE;
    for (uint32_t i = 0; i < count; i++)
        take_answer(&disruptor->commands, turn, &completions[i], &failed);
    for (Command *command = disruptor->commands.first; command; command = next) {
        next = command->next;
        if (command->phase != COMMAND_STARTING || command == failed)
            continue;
        if (!has_begun(command, completions, count)) {
            disruption_drop_orders(turn, command, &completions[count - 1]);
            commands_remove(&disruptor->commands, command); // a look finds it again
            continue;
        }
        command->phase = COMMAND_WAITING;
        if (!command->reboots) {
            disruption_report_started(turn, command);
            mark(turn, command);
            nominate(turn, command);
        }
        turn_enqueue(turn, &disruption_controller, (Key){.ns = command->uuid}, 0);
    }
    if (failed)
        give_up(disruptor, turn, failed, &completions[count - 1]);
}
