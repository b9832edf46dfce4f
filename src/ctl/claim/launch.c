// Launch of a NodeClaim: exactly one instance. Behaviour: reference lifecycle.md 2.3.
#include "ctl/claim/launch.h"

#include "ctl/claim/early_end.h"
#include "ctl/claim/liveness.h"
#include "ctl/provision/provisioner.h"
#include "text/value_edit.h"

// --- completion of INTENT_LAUNCH

static Labels copy_labels(Arena *arena, const Labels *labels) {
    Labels copy = {.count = labels->count, .capacity = labels->count};

    copy.items = arena_copy(arena, labels->items, labels->count * sizeof *labels->items);
    return copy;
}

static void keep_instance(ClaimNote *note, const CloudInstance *instance) {
    note->instance = *instance;
    note->instance.labels = copy_labels(&note->arena, &instance->labels);
    note->instance.annotations = copy_labels(&note->arena, &instance->annotations);
    note->instance.capacity = resources_copy(&note->arena, &instance->capacity);
    note->instance.allocatable = resources_copy(&note->arena, &instance->allocatable);
}

static void keep_failure(ClaimNote *note, Turn *turn, const CloudError *error) {
    note->message = arena_slice(&note->arena, slice_of(error->err.text));
    note->reason = arena_slice(&note->arena, error->reason[0] ? slice_of(error->reason) : SLICE("LaunchFailed"));
    if (error->class_not_ready) {
        note->outcome = LAUNCH_CLASS_NOT_READY;
    } else if (error->err.code == ERR_CAPACITY) {
        note->outcome = LAUNCH_NO_CAPACITY;
    } else {
        note->outcome = LAUNCH_FAILED;
        note->retry_at =
            mono_after(turn->now, claim_back_off_ns(CLAIM_LAUNCH_RETRY_S, note->failures++, CLAIM_LAUNCH_RETRY_MAX_S));
    }
}

void claim_note_launch(ClaimNote *note, Turn *turn, const Completion *completion) {
    static const CloudError unknown = {.err = {ERR_IO, "the launch was not answered"}};

    arena_free(&note->arena);
    note->arena = (Arena){0};
    note->told &= ~(unsigned)TOLD_LAUNCH;
    if (completion->code != OK)
        return keep_failure(note, turn, completion->cloud_error ? completion->cloud_error : &unknown);
    note->outcome = LAUNCH_DONE;
    note->failures = 0;
    note->forget_at = mono_after(turn->now, CLAIM_LAUNCH_MEMORY_S * NS_PER_S);
    keep_instance(note, completion->instance);
}

// A cloud that does not know the instance's class cannot say what it has: its Node does.
static void complete_from_node(ClaimNote *note, const Turn *turn) {
    CloudInstance *instance = &note->instance;

    for (vec_each(const Handle, handle, state_nodes_with_provider_id(turn->state, instance->provider_id))) {
        const Node *node = state_node(turn->state, *handle);

        if (!instance->capacity.count)
            instance->capacity = resources_copy(&note->arena, &node->capacity);
        if (!instance->allocatable.count)
            instance->allocatable = resources_copy(&note->arena, &node->allocatable);
    }
}

// Why the claim cannot have the instance; empty: it can. That the instance is of its Provisioner, a Node is not asked:
// its kubelet may write what it likes.
static Slice link_refusal(const NodeClaim *claim, const Completion *completion) {
    if (completion->code != OK)
        return completion_text(completion);
    if (completion->instance->terminating)
        return SLICE("the instance is being terminated");
    if (completion->instance->claim_name != NAME_EMPTY)
        return SLICE("the instance is of another machine");
    if (completion->instance->pool != labels_get(&claim->meta.labels, NAME_NODEPOOL))
        return SLICE("by the tags of the instance, it is not of this Provisioner and this cluster");
    return SLICE("");
}

// Whatever stands in the way is asked about again, until the claim has waited for too long.
void claim_note_linked(ClaimNote *note, const NodeClaim *claim, Turn *turn, const Completion *completion) {
    Slice refusal = link_refusal(claim, completion);
    Completion answer = *completion;
    CloudError error;

    if (refusal.len) {
        answer.code = cloud_fail_for(&error, ERR_IO, "LinkFailed", "%.*s", SLICE_ARG(refusal));
        answer.cloud_error = &error;
    }
    claim_note_launch(note, turn, &answer);
    if (note->outcome == LAUNCH_DONE)
        complete_from_node(note, turn);
}

// --- taking over the result

static void put_label(ClaimPass *pass, Value *body, const char *member, const Label *label) {
    Arena *arena = pass->turn->arena;

    value_put(arena, value_make(arena, body, "metadata", member, NULL), symbol_text(pass->turn->symbols, label->key),
              value_string(symbol_text(pass->turn->symbols, label->value)));
}

// A patch with the provider's labels that the claim does not have (its own take precedence), and the provider's
// annotations (these take precedence). NULL: the claim has them all.
static Value *missing_metadata(ClaimPass *pass) {
    const CloudInstance *instance = &pass->note->instance;
    Value *body = arena_new(pass->turn->arena, Value);

    *body = value_map();
    for (vec_each(const Label, label, &instance->labels)) {
        if (labels_get(&pass->claim->meta.labels, label->key) == INDEX_NONE)
            put_label(pass, body, "labels", label);
    }
    for (vec_each(const Label, label, &instance->annotations)) {
        if (labels_get(&pass->claim->meta.annotations, label->key) != label->value)
            put_label(pass, body, "annotations", label);
    }
    return body->map.count ? body : NULL;
}

// Takes over the instance: metadata first, because once Launched is True no pass writes it. A claim whose metadata can
// never be written runs into the registration timeout like any other.
static bool take_instance(ClaimPass *pass) {
    const CloudInstance *instance = &pass->note->instance;
    const Value *metadata = missing_metadata(pass);
    Turn *turn = pass->turn;

    conditions_set_true(&pass->conditions, "Launched");
    if (metadata) {
        if (claim_check_liveness(pass))
            turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, pass->claim->meta.name, KUBE_OBJECT, metadata, 0);
        return false;
    }
    pass->launched = true;
    if (claim_pass_tell(pass, TOLD_LAUNCH))
        turn_log(turn, LOG_INFO, "launched nodeclaim", "NodeClaim", symbol_text(turn->symbols, pass->key.name),
                 "provider-id", symbol_text(turn->symbols, instance->provider_id), "instance-type",
                 symbol_text(turn->symbols, instance->instance_type), "zone",
                 symbol_text(turn->symbols, instance->zone), "capacity-type",
                 symbol_text(turn->symbols, instance->capacity_type), "allocatable",
                 resources_print_json(turn->arena, turn->symbols, &instance->allocatable), NULL);
    return true;
}

// --- failures

// Deletes the claim: its pods are planned again, without the offerings that have no capacity.
static bool give_up(ClaimPass *pass, const char *reason) {
    Turn *turn = pass->turn;
    Slice name = symbol_text(turn->symbols, pass->key.name), message = claim_message(turn->arena, pass->note->message);

    if (claim_pass_tell(pass, TOLD_LAUNCH)) {
        claim_pass_event(pass, reason,
                         arena_printf(turn->arena, "NodeClaim %.*s event: %.*s", SLICE_ARG(name), SLICE_ARG(message)));
        turn_log(turn, LOG_ERROR, "failed launching nodeclaim", "NodeClaim", name, "error", pass->note->message, NULL);
        if (pass->note->outcome == LAUNCH_NO_CAPACITY)
            provision_no_capacity(turn, pass->claim, pass->note->message);
    }
    claim_pass_remove(pass);
    return false;
}

static bool intend_launch(ClaimPass *pass) {
    Symbol linked = claim_linked(pass->claim, pass->turn->symbols);
    Intent *intent;

    if (claim_is_held_back(pass))
        return true;
    if (linked != NAME_EMPTY) {
        intent = turn_intend(pass->turn, INTENT_GET_INSTANCE);
        intent->provider_id = linked;
    } else {
        intent = turn_intend(pass->turn, INTENT_LAUNCH);
        intent->claim = pass->handle;
    }
    intent->tag = pass->claim->meta.uid;
    return false;
}

static bool wait_to_launch(ClaimPass *pass) {
    Turn *turn = pass->turn;
    Slice name = symbol_text(turn->symbols, pass->key.name);

    if (mono_reached(turn->now, pass->note->retry_at))
        return intend_launch(pass);
    if (claim_pass_tell(pass, TOLD_LAUNCH))
        turn_log(turn, LOG_ERROR, "Reconciler error", "NodeClaim", name, "error",
                 arena_printf(turn->arena, "%s nodeclaim, %.*s",
                              claim_linked(pass->claim, turn->symbols) == NAME_EMPTY ? "launching" : "linking",
                              SLICE_ARG(pass->note->message)),
                 NULL);
    conditions_set_unknown(&pass->conditions, "Launched", arena_text(turn->arena, pass->note->reason),
                           claim_message(turn->arena, pass->note->message));
    claim_pass_wait(pass, mono_left(turn->now, pass->note->retry_at));
    return true;
}

bool claim_launch(ClaimPass *pass) {
    if (!conditions_is_unknown(&pass->conditions, "Launched"))
        return true;
    switch (pass->note->outcome) {
    case LAUNCH_DONE:
        return mono_reached(pass->turn->now, pass->note->forget_at) ? intend_launch(pass) : take_instance(pass);
    case LAUNCH_NO_CAPACITY:
        return give_up(pass, "InsufficientCapacityError");
    case LAUNCH_CLASS_NOT_READY:
        return give_up(pass, "NodeClassNotReady");
    case LAUNCH_FAILED:
        return wait_to_launch(pass);
    default:
        return intend_launch(pass);
    }
}
