// Steps of the termination of a Node. Behaviour: reference lifecycle.md 3.2; texts 7.2.
#include "ctl/node/pass.h"
#include "ctl/node/volumes.h"
#include "text/duration.h"

// Deletes the Node's NodeClaim, once: the State may not show the deletion yet.
static void remove_claim(NodePass *pass) {
    const NodeClaim *claim = pass->claim;
    Mono now = pass->turn->now;

    if (!claim || claim->meta.deleting)
        return;
    node_pass_wait(pass, NODE_DRAIN_POLL_S * NS_PER_S);
    if (mono_since(now, pass->note->claim_removed) < NODE_INSTANCE_POLL_S * NS_PER_S)
        return;
    pass->note->claim_removed = now;
    turn_remove(pass->turn, KUBE_NODE_CLAIM, &claim->meta);
    pass->wrote = true;
}

// Whether the Node may still have an instance; without one nothing is drained. Only the cloud is asked about, and only
// for a Node that is not ready; its answer that the instance exists is valid for the poll interval of instances.
static bool instance_may_exist(NodePass *pass) {
    if (pass->node->provider_id == NAME_EMPTY || node_is_ready(pass->node, pass->turn->symbols)) {
        pass->note->missing = false; // a ready Node has an instance, whatever the cloud said before
        return true;
    }
    if (pass->note->missing)
        return false;
    if (mono_since(pass->turn->now, pass->note->seen) >= NODE_INSTANCE_POLL_S * NS_PER_S) {
        turn_intend(pass->turn, INTENT_GET_INSTANCE)->provider_id = pass->node->provider_id;
        pass->wrote = true;
    }
    return true;
}

static bool read_deadline(NodePass *pass) {
    Turn *turn = pass->turn;
    Err err;

    if (node_deadline(pass->claim, turn->symbols, &pass->deadline_ns, &err) != OK) {
        node_pass_fail(turn, pass->key, arena_printf(turn->arena, "parsing annotation, %s", err.text));
        return false;
    }
    if (pass->deadline_ns != INT64_MAX)
        node_pass_say(pass, true, "TerminationGracePeriodExpiring",
                      arena_printf(turn->arena, "All pods will be deleted by %.*s",
                                   SLICE_ARG(time_print(turn->arena, pass->deadline_ns))));
    return true;
}

static bool await_drain(NodePass *pass) {
    Turn *turn = pass->turn;
    NodeDrain drain = node_drain_look(turn->arena, turn->state, pass->node, pass->deadline_ns, turn->wall_ns);

    if (drain.waiting == 0)
        return true;
    pass->note->pods_read = false;
    node_ask_to_leave(pass, &drain);
    node_pass_say(pass, true, "FailedDraining",
                  arena_printf(turn->arena, "Failed to drain node, %u pods are waiting to be evicted", drain.waiting));
    node_pass_set_unknown(pass, "Drained", "Draining");
    node_pass_wait_for_changes(pass);
    node_pass_wait_until(pass, drain.next_ns);
    return false;
}

// Reads the Node's pods from the API server. The watch of pods may lag behind the taint by any time: the drain looks
// complete until the watch delivers pods that were bound before the scheduler saw the taint.
static void read_pods(NodePass *pass) {
    Turn *turn = pass->turn;
    Slice name = symbol_text(turn->symbols, pass->node->meta.name);

    turn_read(turn, KUBE_POD, (Slice){0}, arena_printf(turn->arena, "spec.nodeName=%.*s", SLICE_ARG(name)));
}

// Whether the drain lasted at least five seconds: by then a scheduler that was about to bind a pod here has seen the
// taint.
static bool await_minimum_drain(NodePass *pass) {
    const Condition *drained;
    int64_t end_ns;

    if (!pass->claim)
        return true;
    drained = conditions_get(&pass->conditions, "Drained");
    if (!drained)
        node_pass_set_unknown(pass, "Drained", "Draining");
    drained = conditions_get(&pass->conditions, "Drained");
    end_ns = drained->transition_ns + NODE_DRAIN_MIN_S * NS_PER_S;
    if (conditions_is_unknown(&pass->conditions, "Drained")) {
        if (pass->turn->wall_ns < end_ns) {
            node_pass_wait_until(pass, end_ns);
            return false;
        }
        if (!pass->note->pods_read) {
            read_pods(pass);
            return false;
        }
    }
    node_pass_set_true(pass, "Drained");
    return true;
}

static bool await_volumes(NodePass *pass) {
    Turn *turn = pass->turn;
    HandleVec awaited = node_volumes_awaited(turn->arena, turn->state, pass->node, turn->wall_ns);

    if (awaited.count == 0) {
        node_pass_set_true(pass, "VolumesDetached");
        return true;
    }
    if (turn->wall_ns > pass->deadline_ns) {
        node_pass_set_false(pass, "VolumesDetached", "TerminationGracePeriodElapsed");
        return true;
    }
    node_pass_say(pass, false, "AwaitingVolumeDetachment",
                  arena_printf(turn->arena, "Awaiting deletion of bound volumeattachments (%.*s)",
                               SLICE_ARG(node_volumes_print(turn->arena, turn->state, &awaited))));
    node_pass_set_unknown(pass, "VolumesDetached", "AwaitingVolumeDetachment");
    node_pass_wait_for_changes(pass);
    node_pass_wait_until(pass, pass->deadline_ns == INT64_MAX ? INT64_MAX : pass->deadline_ns + 1);
    return false;
}

// Whether the instance is gone; only the instance of a claim is terminated. The cloud is called until it knows no such
// instance.
static bool await_instance(NodePass *pass, bool *ret_terminate) {
    const NodeNote *note = pass->note;
    int64_t poll_ns = NODE_INSTANCE_POLL_S * NS_PER_S, since_ns = mono_since(pass->turn->now, note->terminated);

    if (!pass->claim)
        return true;
    if (note->gone || mono_is_set(note->terminated))
        node_pass_set_true(pass, "InstanceTerminating");
    if (note->gone)
        return true;
    *ret_terminate = since_ns >= poll_ns;
    if (!*ret_terminate)
        node_pass_wait(pass, poll_ns - since_ns);
    return false;
}

// Removes the finalizer without touching finalizers that others may have added meanwhile. The uid keeps the patch from
// another Node of the same name.
static void remove_finalizer(NodePass *pass) {
    Turn *turn = pass->turn;
    Value *body = arena_new(turn->arena, Value), *meta, *list;
    Intent *intent;

    *body = value_map();
    meta = value_put(turn->arena, body, SLICE("metadata"), value_map());
    value_put(turn->arena, meta, SLICE("uid"), value_string(symbol_text(turn->symbols, pass->node->meta.uid)));
    list = value_put(turn->arena, meta, SLICE("$deleteFromPrimitiveList/finalizers"), value_list());
    value_append(turn->arena, list, value_string(node_finalizer));
    turn_patch(turn, KUBE_NODE, NAME_EMPTY, pass->node->meta.name, KUBE_OBJECT, body, 0);
    intent = vec_last(turn->intents);
    intent->patch.type = KUBE_PATCH_STRATEGIC;
    intent->tag = NODE_TAG_FINALIZER;
}

// Writes the intents of the pass in an order in which each is safe after the one before it: the conditions report the
// drain before the instance is terminated, and the finalizer is removed last.
static void end_pass(NodePass *pass, bool terminate, bool release) {
    if (pass->conditions_changed)
        turn_patch(pass->turn, KUBE_NODE_CLAIM, NAME_EMPTY, pass->claim->meta.name, KUBE_STATUS,
                   conditions_patch(&pass->conditions), pass->claim->meta.revision);
    if (terminate)
        turn_intend(pass->turn, INTENT_TERMINATE)->provider_id = pass->node->provider_id;
    if (release)
        remove_finalizer(pass);
    if (pass->wait_ns != INT64_MAX)
        turn_again(pass->turn, pass->key, pass->wait_ns);
}

void node_steps_take(NodePass *pass) {
    bool terminate = false, release;

    remove_claim(pass);
    if (!instance_may_exist(pass))
        return end_pass(pass, false, true);
    if (!read_deadline(pass))
        return;
    node_taint(pass);
    if (pass->wrote ||
        (pass->claim && !pass->claim->meta.deleting)) // the following steps depend on the result of these intents
        return end_pass(pass, false, false);
    release = await_drain(pass) && await_minimum_drain(pass) && await_volumes(pass) && await_instance(pass, &terminate);
    end_pass(pass, terminate, release);
}
