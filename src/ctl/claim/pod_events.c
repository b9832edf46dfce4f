// nodeclaim.podevents: writes status.lastPodEventTime when pods of the claim's Node are bound, end or vanish.
#include "ctl/claim/pod_events.h"

#include "ctl/claim/disruption.h"
#include "ctl/common/claim_facts.h"
#include "model/pod_predicates.h"
#include "text/duration.h"
#include "text/value_edit.h"

typedef struct {
    bool started; // everything that exists was observed once
} ClaimPodEventsMemory;

static void claim_pod_events_start(void *self, Turn *turn) {
    (void)turn;
    ((ClaimPodEventsMemory *)self)->started = true;
}

// Whether the claim was stamped less than the pause ago. A stamp that is further than that in the future does not
// count: it came from a wrong clock.
static bool is_stamped(const Turn *turn, const NodeClaim *claim) {
    const int64_t pause_ns = CLAIM_POD_EVENTS_PAUSE_S * NS_PER_S;
    int64_t age_ns = turn->wall_ns - claim->last_pod_event_ns;

    return age_ns < pause_ns && age_ns > -pause_ns;
}

// Nobody waits for the node of a claim that is being deleted to be left alone.
static bool is_due(const Turn *turn, const NodeClaim *claim) {
    return claim && !claim->meta.deleting && !is_stamped(turn, claim);
}

static void claim_pod_events_reconcile(void *self, Turn *turn, Key key) {
    const NodeClaim *claim = claim_of_key(turn, key, NULL);
    KubeRevision revision;
    Value *body;

    (void)self;
    if (!is_due(turn, claim))
        return;
    body = claim_disturb(turn, claim, &revision);
    value_put(turn->arena, value_make(turn->arena, body, "status", NULL), SLICE("lastPodEventTime"),
              value_string(time_print(turn->arena, turn->wall_ns)));
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name, KUBE_STATUS, body, revision);
}

// Whether the change of the pod is a pod event of its node. A bound pod never changes its node.
static bool is_event(const Pod *before, const Pod *after) {
    const Pod *pod = after ? after : before;

    CHECK(pod, "a change of nothing");
    if (pod->node_name == NAME_EMPTY || pod_is_daemon(pod))
        return false;
    if (!after)
        return !before->deleting && !pod_is_terminal(before);
    if (!before || before->node_name == NAME_EMPTY)
        return true;
    return (after->deleting && !before->deleting) || (pod_is_terminal(after) && !pod_is_terminal(before));
}

static void look_at(Turn *turn, const Pod *before, const Pod *after) {
    const NodeClaim *claim;
    Handle node;

    if (!is_event(before, after))
        return;
    node = state_find(turn->state, KUBE_NODE, NAME_EMPTY, (after ? after : before)->node_name);
    claim = state_node_claim(turn->state, state_claim_of_node(turn->state, node));
    if (is_due(turn, claim))
        turn_enqueue(turn, &claim_pod_events_controller, claim_key(claim), 0);
}

static void claim_pod_events_observe(void *self, Turn *turn, const StateChange *change) {
    const Pod *before = change->before, *after = change->after;

    if (change->kind != KUBE_POD || !((ClaimPodEventsMemory *)self)->started)
        return;
    if (before && after && before->uid != after->uid) { // the next pod of a StatefulSet has the name of the last one
        look_at(turn, before, NULL);
        before = NULL;
    }
    look_at(turn, before, after);
}

const Controller claim_pod_events_controller = {
    .name = "nodeclaim.podevents",
    .memory_size = sizeof(ClaimPodEventsMemory),
    .start = claim_pod_events_start,
    .observe = claim_pod_events_observe,
    .reconcile = claim_pod_events_reconcile,
};
