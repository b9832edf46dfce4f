// Commands that wait for their replacements, and what comes then.
#include "ctl/common/claim_facts.h"
#include "ctl/common/node_facts.h"
#include "ctl/common/pool_facts.h"
#include "ctl/disruption/parts.h"
#include "disrupt/repair/sickness.h"
#include "text/duration.h"
#include "text/value_edit.h"

#include <math.h>

// --- time

static uint32_t nodes_under_way(const CommandList *commands) {
    uint32_t count = 0;

    for (const Command *command = commands->first; command; command = command->next)
        count += command->phase == COMMAND_PROVING ? 0 : command->nodes.count;
    return count;
}

int64_t disruption_timeout_ns(uint32_t nodes) {
    int64_t ns = nodes * (DISRUPTION_TIMEOUT_NODE_MS * NS_PER_MS);

    if (ns < DISRUPTION_TIMEOUT_MIN_S * NS_PER_S)
        return DISRUPTION_TIMEOUT_MIN_S * NS_PER_S;
    return ns < DISRUPTION_TIMEOUT_MAX_S * NS_PER_S ? ns : DISRUPTION_TIMEOUT_MAX_S * NS_PER_S;
}

// --- what was launched

// Price of the offering that the claim became, $ per hour; NAN: unknown.
static double launched_price(const Turn *turn, const NodeClaim *claim) {
    const NodePool *pool = pool_of_claim(turn->state, claim);
    const Labels *labels = &claim->meta.labels;
    const InstanceTypeVec *types;
    const InstanceType *type;
    CloudError error;

    if (!pool || cloud_instance_types(turn->cloud, pool, &types, &error) != OK)
        return NAN;
    type = instance_type_find(types, labels_get(labels, NAME_INSTANCE_TYPE));
    for (uint32_t i = 0; type && i < type->offerings.count; i++) {
        const Offering *offering = &type->offerings.items[i];

        if (offering->zone == labels_get(labels, NAME_ZONE) &&
            offering->capacity_type == labels_get(labels, NAME_CAPACITY_TYPE))
            return offering->price_per_hour;
    }
    return NAN;
}

// What the nodes cost when the command was proved; after a death of the process, what they cost today.
static double price_of_nodes(const Turn *turn, const Command *command) {
    double price = 0;

    if (command->price_per_hour > 0)
        return command->price_per_hour;
    for (vec_each(const CommandNode, at, &command->nodes)) {
        const NodeClaim *claim =
            state_node_claim(turn->state, state_find_uid(turn->state, KUBE_NODE_CLAIM, at->claim_uid));

        price += claim ? launched_price(turn, claim) : NAN;
    }
    return price;
}

// Consolidation is for money: what was launched may be dearer than what was expected. An unknown price says nothing.
static bool is_dearer(const Turn *turn, const Command *command) {
    double price = 0;

    if (command->method != METHOD_CONSOLIDATION)
        return false;
    for (vec_each(const Symbol, name, &command->created))
        price += launched_price(
            turn, state_node_claim(turn->state, state_find(turn->state, KUBE_NODE_CLAIM, NAME_EMPTY, *name)));
    return price > price_of_nodes(turn, command) + 1e-9;
}

// --- replacements

typedef enum { REPLACEMENTS_READY, REPLACEMENTS_JOINING, REPLACEMENTS_LOST } Replacements;

static Replacements look_at_replacements(Turn *turn, const Command *command) {
    Replacements found = REPLACEMENTS_READY;

    for (vec_each(const Symbol, name, &command->created)) {
        const NodeClaim *claim =
            state_node_claim(turn->state, state_find(turn->state, KUBE_NODE_CLAIM, NAME_EMPTY, *name));

        if (!claim || claim->meta.deleting)
            return REPLACEMENTS_LOST;
        if (claim_is(claim, turn->symbols, "Initialized"))
            continue;
        disruption_report_waiting(turn, command, claim);
        found = REPLACEMENTS_JOINING;
    }
    return found;
}

// --- the end

// A node that was empty when the command was proved may have got a pod before its taint was seen.
static bool is_in_use_again(const Turn *turn, const Command *command) {
    uint32_t pods = 0;

    if (command->method != METHOD_EMPTINESS)
        return false;
    for (vec_each(const CommandNode, at, &command->nodes))
        pods += state_node_usage(turn->state, at->node)->reschedulable;
    return pods > command->pods;
}

// How long the drain may take counts from the deletion on. A deadline that stands is kept where it is earlier.
static void set_deadline(Turn *turn, const Command *command, const NodeClaim *claim, uint64_t tag) {
    Value *body = arena_new(turn->arena, Value);
    int64_t stands_ns;

    if (command->bound_ns == REPAIR_NO_BOUND || (node_deadline(claim, turn->symbols, &stands_ns, NULL) == OK &&
                                                 stands_ns <= ns_add(turn->wall_ns, command->bound_ns)))
        return;
    *body = value_map();
    value_put(turn->arena, value_make(turn->arena, body, "metadata", "annotations", NULL), node_deadline_annotation,
              value_string(time_print(turn->arena, ns_add(turn->wall_ns, command->bound_ns))));
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name, KUBE_OBJECT, body, 0);
    vec_last(turn->intents)->tag = tag;
}

// For metrics; of a repair also what the node suffers from now.
static void describe_deletion(const Turn *turn, const Command *command, const NodeClaim *claim) {
    const NodePool *pool = pool_of_claim(turn->state, claim);
    const Node *node = claim_node(turn->state, claim);
    DisruptionStep *step = &vec_last(turn->intents)->step;
    RepairPolicies policies;
    Sickness sickness;

    step->method = command->method;
    step->nodes = 1;
    step->bound_ns = command->bound_ns;
    if (command->method != METHOD_REPAIR || !pool || !node)
        return;
    policies = cloud_repair_policies(turn->cloud, pool);
    sickness = sickness_of(node, &policies, turn->symbols, turn->wall_ns);
    if (sickness.policy)
        step->cause = sickness.policy->condition;
}

// The State may hear of a deletion later than its answer comes.
static void remove_claims(Turn *turn, Command *command) {
    for (uint32_t i = 0; i < command->nodes.count; i++) {
        CommandNode *at = &command->nodes.items[i];
        const NodeClaim *claim =
            state_node_claim(turn->state, state_find_uid(turn->state, KUBE_NODE_CLAIM, at->claim_uid));

        at->is_deleted |= !claim || claim->meta.deleting;
        if (at->is_deleted)
            continue;
        set_deadline(turn, command, claim, i);
        turn_remove(turn, KUBE_NODE_CLAIM, &claim->meta);
        vec_last(turn->intents)->tag = i;
        describe_deletion(turn, command, claim);
        command->phase = COMMAND_DELETING;
    }
}

static void delete_nodes(Disruptor *disruptor, Turn *turn, Command *command) {
    remove_claims(turn, command);
    if (command->phase == COMMAND_DELETING)
        return disruption_report_deleting(turn, command);
    disruption_report_succeeded(turn, command);
    disruption_end(disruptor, turn, command);
}

static void fail(Disruptor *disruptor, Turn *turn, Command *command, const char *why) {
    disruption_report_failed(turn, command, slice_of(why));
    disruption_end(disruptor, turn, command);
}

// Nothing has failed: the cluster is another one than when the command began.
static void abandon(Disruptor *disruptor, Turn *turn, Command *command, const char *why) {
    disruption_report_abandoned(turn, command, slice_of(why));
    disruption_end(disruptor, turn, command);
}

void disruption_go_on(Disruptor *disruptor, Turn *turn, Command *command) {
    Key key = {.ns = command->uuid};

    if (command->phase != COMMAND_WAITING)
        return; // its answers call it again
    if (is_in_use_again(turn, command))
        return abandon(disruptor, turn, command, "a pod came to a node that was empty");
    switch (look_at_replacements(turn, command)) {
    case REPLACEMENTS_LOST:
        return fail(disruptor, turn, command, "replacement was deleted");
    case REPLACEMENTS_JOINING:
        if (mono_since(turn->now, command->due) > disruption_timeout_ns(nodes_under_way(&disruptor->commands)))
            return fail(disruptor, turn, command, "command reached timeout");
        return turn_again(turn, key, DISRUPTION_POLL_S * NS_PER_S);
    case REPLACEMENTS_READY:
        if (is_dearer(turn, command))
            return fail(disruptor, turn, command, "what was launched is dearer than what it replaces");
        return delete_nodes(disruptor, turn, command);
    }
}

void disruption_deleted(Disruptor *disruptor, Turn *turn, Command *command, const Completion *completions,
                        uint32_t count) {
    bool failed = false;

    command->phase = COMMAND_WAITING;
    for (uint32_t i = 0; i < count; i++) {
        bool is_done = completions[i].code == OK || completions[i].code == ERR_NOT_FOUND;

        if (completions[i].type == INTENT_REMOVE || completions[i].code == ERR_NOT_FOUND)
            command->nodes.items[completions[i].tag].is_deleted |= is_done;
        failed |= !is_done;
    }
    if (failed)
        return turn_retry(turn, (Key){.ns = command->uuid});
    disruption_go_on(disruptor, turn, command);
}
