// Ends of instances before registration: when the cloud is asked, what its answer means, and the back-off.
#include "ctl/claim/early_end.h"

#include "ctl/common/class_facts.h"
#include "ctl/common/node_facts.h"

enum { TEXT_MAX = 1000 }; // of the condition and the event

static int64_t launched_ns(const Turn *turn, const NodeClaim *claim) {
    return condition_get(&claim->conditions, turn->symbols, SLICE("Launched"))->transition_ns;
}

// --- asking

// Whether the claim's instance has been launched, and nothing has been heard of it.
static bool is_awaited(const ClaimPass *pass) {
    const NodeClaim *claim = pass->claim;

    return claim_is(claim, pass->turn->symbols, "Launched") && claim->provider_id != NAME_EMPTY &&
           !conditions_is_true(&pass->conditions, "Registered") &&
           !state_nodes_with_provider_id(pass->turn->state, claim->provider_id)->count;
}

static void ask(ClaimPass *pass) {
    claim_look_up(pass);
    pass->note->look_at = mono_after(pass->turn->now, CLAIM_LOOK_MAX_S * NS_PER_S);
}

static void ask_when_due(ClaimPass *pass) {
    Turn *turn = pass->turn;
    int64_t first_ns = launched_ns(turn, pass->claim) + CLAIM_LOOK_FIRST_S * NS_PER_S - turn->wall_ns;

    if (!mono_is_set(pass->note->look_at))
        pass->note->look_at = first_ns > 0 ? mono_after(turn->now, first_ns) : turn->now;
    if (mono_reached(turn->now, pass->note->look_at))
        ask(pass);
    claim_pass_wait(pass, mono_left(turn->now, pass->note->look_at));
}

// --- the answer

static int64_t next_look_s(const Turn *turn, const NodeClaim *claim, const Completion *completion) {
    int64_t age_s = (turn->wall_ns - launched_ns(turn, claim)) / NS_PER_S;

    if (completion->code == OK && completion->instance->terminating)
        return CLAIM_LOOK_ENDING_S;
    if (age_s < CLAIM_LOOK_FIRST_S)
        return CLAIM_LOOK_FIRST_S;
    return age_s < CLAIM_LOOK_MAX_S ? age_s : CLAIM_LOOK_MAX_S;
}

// Ends of instances that were launched before the last failure belong to the same wave.
static void note_fault(NoteTable *classes, const Turn *turn, const NodeClaim *claim) {
    Symbol name = claim->spec.node_class.name;
    ClassFacts class;
    ClassNote *note;

    if (!class_of_provider(turn, name, &class))
        return;
    note = notes_add(classes, (Key){.name = name});
    if (note->failures && launched_ns(turn, claim) <= note->failed_ns)
        return;
    note->failed_ns = turn->wall_ns;
    note->open_at = mono_after(turn->now, claim_back_off_ns(CLAIM_HOLD_FIRST_S, note->failures++, CLAIM_HOLD_MAX_S));
}

static void note_end(ClaimNote *note, const CloudError *error) {
    arena_free(&note->arena);
    note->arena = (Arena){0};
    note->outcome = LAUNCH_ENDED;
    note->gone = true;
    note->recurs = error->recurs;
    note->reason = arena_slice(&note->arena, slice_of(error->reason));
    note->message = arena_slice(&note->arena, slice_of(error->err.text));
}

void claim_note_look(NoteTable *classes, ClaimNote *note, const NodeClaim *claim, Turn *turn,
                     const Completion *completion) {
    const CloudError *error = completion->cloud_error;

    if (!claim_is(claim, turn->symbols, "Launched") || claim_is(claim, turn->symbols, "Registered"))
        return;
    note->look_at = mono_after(turn->now, next_look_s(turn, claim, completion) * NS_PER_S);
    if (completion->code != ERR_NOT_FOUND || !error || !error->reason[0])
        return; // that an instance is not found is no evidence so early
    note_end(note, error);
    if (error->recurs)
        note_fault(classes, turn, claim);
}

// --- what is done about it

static bool is_closed(const ClaimPass *pass) {
    return pass->class_note && !mono_reached(pass->turn->now, pass->class_note->open_at);
}

static void tell(ClaimPass *pass, Slice message) {
    Turn *turn = pass->turn;

    if (!claim_pass_tell(pass, TOLD_END))
        return;
    claim_pass_event(pass, arena_text(turn->arena, pass->note->reason), message);
    turn_log(turn, pass->note->recurs ? LOG_ERROR : LOG_INFO, "instance ended before its node registered", "NodeClaim",
             symbol_text(turn->symbols, pass->key.name), "provider-id", symbol_text(turn->symbols, pass->provider_id),
             "reason", pass->note->reason, "error", message, NULL);
}

static bool take_end(ClaimPass *pass) {
    Turn *turn = pass->turn;
    Slice message = claim_text(turn->arena, pass->note->message, TEXT_MAX);

    tell(pass, message);
    if (pass->note->recurs && is_closed(pass)) {
        conditions_set_false(&pass->conditions, "Registered", arena_text(turn->arena, pass->note->reason), message);
        claim_pass_wait(pass, mono_left(turn->now, pass->class_note->open_at));
        return true;
    }
    claim_pass_remove(pass);
    vec_last(turn->intents)->step.cause = "instance_ended";
    return false;
}

bool claim_check_instance(ClaimPass *pass) {
    if (pass->note->outcome == LAUNCH_ENDED)
        return take_end(pass);
    if (is_awaited(pass))
        ask_when_due(pass);
    return true;
}

// --- the back-off of a NodeClass

bool claim_is_held_back(ClaimPass *pass) {
    if (!is_closed(pass))
        return false;
    conditions_set_unknown(&pass->conditions, "Launched", "InstancesEndEarly",
                           SLICE("Instances of this NodeClass end before their nodes register: launches wait"));
    claim_pass_wait(pass, mono_left(pass->turn->now, pass->class_note->open_at));
    return true;
}

void claim_class_reopen(NoteTable *classes, Turn *turn, Symbol class_name) {
    Handle handle = HANDLE_NONE;

    if (!notes_find(classes, (Key){.name = class_name}))
        return;
    notes_remove(classes, (Key){.name = class_name});
    while ((handle = state_next(turn->state, KUBE_NODE_CLAIM, handle)).generation) {
        const NodeClaim *claim = state_node_claim(turn->state, handle);

        if (claim->spec.node_class.name == class_name)
            turn_enqueue(turn, &claim_lifecycle_controller, claim_key(claim), 0);
    }
}

void claim_class_works(NoteTable *classes, Turn *turn, const NodeClaim *claim) {
    const ClassNote *note = notes_find(classes, (Key){.name = claim->spec.node_class.name});

    if (note && claim_is(claim, turn->symbols, "Launched") && launched_ns(turn, claim) > note->failed_ns)
        claim_class_reopen(classes, turn, claim->spec.node_class.name);
}
