// Reactions to messages of the cloud: one table.
#include "ctl/common/reaction.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/node_facts.h"
#include "text/duration.h"
#include "text/value_edit.h"

typedef enum { DO_NOTHING, DO_TELL, DO_DELETE, DO_FORCE } Action;

static const struct {
    const char *event; // NULL: none
    const char *text;
    bool is_warning;
    Action action;
} reactions[CLOUD_MESSAGE_KINDS] = {
    [CLOUD_MESSAGE_SPOT_INTERRUPTED] = {"SpotInterrupted", "The instance will be interrupted soon", true, DO_DELETE},
    [CLOUD_MESSAGE_REBALANCE] = {"SpotRebalanceRecommendation", "The risk of an interruption of the instance has risen",
                                 false, DO_TELL},
    [CLOUD_MESSAGE_SCHEDULED_CHANGE] = {"InstanceUnhealthy", "A change of the instance or its host is scheduled", true,
                                        DO_DELETE},
    [CLOUD_MESSAGE_STOPPED] = {"InstanceStopping", "The instance is stopping", true, DO_DELETE},
    [CLOUD_MESSAGE_TERMINATED] = {"InstanceTerminating", "The instance is being terminated", true, DO_DELETE},
    [CLOUD_MESSAGE_RESERVATION_INTERRUPTED] = {"CapacityReservationInstanceInterrupted",
                                               "The capacity reservation of the instance is being taken back", true,
                                               DO_DELETE},
    [CLOUD_MESSAGE_RESERVATION_ENDING] = {.action = DO_DELETE}, // without an event, as upstream
    [CLOUD_MESSAGE_INSTANCE_IMPAIRED] = {"InstanceUnhealthy", "The instance fails the provider's status checks", true,
                                         DO_FORCE},
    [CLOUD_MESSAGE_HOST_IMPAIRED] = {"InstanceUnhealthy",
                                     "What the instance runs on fails the provider's status checks", true, DO_FORCE},
    [CLOUD_MESSAGE_EVENT_SCHEDULED] = {"InstanceUnhealthy", "The provider has scheduled an event for the instance",
                                       true, DO_DELETE},
};

int reaction_strength(CloudMessageKind kind) {
    return (int)reactions[kind].action;
}

static void tell(Turn *turn, const NodeClaim *claim, bool is_warning, const char *reason, const char *text) {
    const Node *node = claim_node(turn->state, claim);

    turn_event(turn, KUBE_NODE_CLAIM, &claim->meta, is_warning, reason, "%s", text);
    if (node)
        turn_event(turn, KUBE_NODE, &node->meta, is_warning, reason, "%s", text);
}

// A deadline that is there already stands, even one that is written concurrently: hence the resourceVersion.
static void write_deadline(Turn *turn, const NodeClaim *claim) {
    Symbol key = symbol_find(turn->symbols, node_deadline_annotation);
    Value *body;

    if (key != INDEX_NONE && labels_get(&claim->meta.annotations, key) != INDEX_NONE)
        return;
    body = arena_new(turn->arena, Value);
    *body = value_map();
    value_put(turn->arena, value_make(turn->arena, body, "metadata", "annotations", NULL), node_deadline_annotation,
              value_string(time_print(turn->arena, turn->wall_ns)));
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name, KUBE_OBJECT, body, claim->meta.revision);
}

void reaction_intend(Turn *turn, CloudMessageKind kind, const NodeClaim *claim, bool tells) {
    Action action = reactions[kind].action;

    if (action == DO_NOTHING || claim->meta.deleting || !claim_is_managed(claim, turn->symbols, turn->settings))
        return;
    if (tells && reactions[kind].event)
        tell(turn, claim, reactions[kind].is_warning, reactions[kind].event, reactions[kind].text);
    if (action < DO_DELETE)
        return;
    if (tells && reactions[kind].event)
        tell(turn, claim, true, "TerminatingOnInterruption", "Interruption triggered termination");
    turn_log(turn, LOG_INFO, "initiating delete from interruption message", "NodeClaim",
             symbol_text(turn->symbols, claim->meta.name), "messageKind", slice_of(cloud_message_text(kind)), NULL);
    if (action == DO_FORCE)
        write_deadline(turn, claim);
    turn_remove(turn, KUBE_NODE_CLAIM, &claim->meta);
    vec_last(turn->intents)->step.cause = cloud_message_text(kind);
}
