// Finalization of a NodeClaim: termination deadline, Nodes, instance, finalizer. Behaviour: reference lifecycle.md 2.8.
#include "ctl/claim/finalize.h"

#include "ctl/common/node_facts.h"
#include "text/duration.h"
#include "text/value_edit.h"

void claim_note_termination(ClaimNote *note, Turn *turn, const Completion *completion) {
    note->gone = completion->code == ERR_NOT_FOUND;
    note->terminating = true;
    note->terminate_at = mono_after(turn->now, CLAIM_INSTANCE_POLL_S * NS_PER_S);
}

static bool has_deadline(const ClaimPass *pass) {
    Symbol key = symbol_find(pass->turn->symbols, node_deadline_annotation);

    return key != INDEX_NONE && labels_get(&pass->claim->meta.annotations, key) != INDEX_NONE;
}

// Annotates the claim with the termination deadline, from which on pods are deleted by force. A deadline that is there
// already stands, even one that is written concurrently (hence the resourceVersion). Returns whether there was nothing
// to write.
static bool write_deadline(ClaimPass *pass) {
    Turn *turn = pass->turn;
    const NodeClaim *claim = pass->claim;
    Slice deadline;
    Value *body;

    if (!claim->spec.has_termination_grace_period || has_deadline(pass))
        return true;
    deadline = time_print(turn->arena, claim->meta.deleted_ns + claim->spec.termination_grace_period_ns);
    body = arena_new(turn->arena, Value);
    *body = value_map();
    value_put(turn->arena, value_make(turn->arena, body, "metadata", "annotations", NULL), node_deadline_annotation,
              value_string(deadline));
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name, KUBE_OBJECT, body, claim->meta.revision);
    if (claim_pass_tell(pass, TOLD_DEADLINE)) {
        turn_log(turn, LOG_INFO, "annotated nodeclaim", "NodeClaim", symbol_text(turn->symbols, pass->key.name),
                 node_deadline_annotation.ptr, deadline, NULL);
        claim_pass_event(pass, "TerminationGracePeriodExpiring",
                         arena_printf(turn->arena, "All pods will be deleted by %.*s", SLICE_ARG(deadline)));
    }
    return false;
}

// Whether pods may run on the Node, so that it has to be drained first. The Node's label counts as well as the claim's
// condition: a process may have died between the two writes of a registration.
static bool is_registered(const ClaimPass *pass, const Node *node) {
    return claim_is(pass->claim, pass->turn->symbols, "Registered") ||
           labels_get(&node->meta.labels, NAME_REGISTERED) == NAME_TRUE;
}

// Deletes the claim's Nodes that were registered (other Nodes are the cloud controller manager's). Returns whether none
// is left; their events start the next pass.
static bool nodes_are_gone(ClaimPass *pass) {
    bool gone = true;

    if (pass->provider_id == NAME_EMPTY)
        return true;
    for (vec_each(const Handle, handle, state_nodes_with_provider_id(pass->turn->state, pass->provider_id))) {
        const Node *node = state_node(pass->turn->state, *handle);

        if (!is_registered(pass, node))
            continue;
        gone = false;
        if (!node->meta.deleting)
            turn_remove(pass->turn, KUBE_NODE, &node->meta);
    }
    return gone;
}

static void terminate(ClaimPass *pass) {
    Intent *intent = turn_intend(pass->turn, INTENT_TERMINATE);

    intent->provider_id = pass->provider_id;
    intent->tag = pass->claim->meta.uid;
}

// Terminates the instance. Returns whether the cloud says that it is gone; nothing else is evidence for that.
static bool instance_is_gone(ClaimPass *pass) {
    ClaimNote *note = pass->note;

    if (pass->provider_id == NAME_EMPTY || note->gone)
        return true;
    if (note->terminating && !conditions_is_true(&pass->conditions, "InstanceTerminating")) {
        conditions_set_true(&pass->conditions, "InstanceTerminating");
        claim_pass_write_status(pass);
        claim_pass_wait(pass, mono_left(pass->turn->now, note->terminate_at));
    } else if (note->terminating && !mono_reached(pass->turn->now, note->terminate_at)) {
        claim_pass_wait(pass, mono_left(pass->turn->now, note->terminate_at));
    } else {
        terminate(pass);
    }
    return false;
}

static void remove_finalizer(ClaimPass *pass) {
    Turn *turn = pass->turn;
    Value *body = arena_new(turn->arena, Value), *list;

    *body = value_map();
    list = value_put(turn->arena, value_make(turn->arena, body, "metadata", NULL), SLICE("finalizers"), value_list());
    for (vec_each(const Symbol, finalizer, &pass->claim->meta.finalizers)) {
        Slice text = symbol_text(turn->symbols, *finalizer);

        if (!slice_eq(text, node_finalizer))
            value_append(turn->arena, list, value_string(text));
    }
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, pass->claim->meta.name, KUBE_OBJECT, body,
               pass->claim->meta.revision);
    if (claim_pass_tell(pass, TOLD_DELETED))
        turn_log(turn, LOG_INFO, "deleted nodeclaim", "NodeClaim", symbol_text(turn->symbols, pass->key.name),
                 "provider-id", symbol_text(turn->symbols, pass->provider_id), "Node",
                 symbol_text(turn->symbols, pass->claim->node_name), NULL);
}

void claim_finalize(ClaimPass *pass) {
    if (!claim_is_held(pass->claim, pass->turn->symbols))
        return;
    if (write_deadline(pass) && nodes_are_gone(pass) && instance_is_gone(pass))
        remove_finalizer(pass);
}
