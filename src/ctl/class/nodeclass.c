// nodeclass: lookups of a NodeClass, its status, its finalizer.
//
// The answer of a lookup counts for the generation that was looked up: when the spec changed meanwhile, it is looked up
// again. Writes of the status and of annotations change no generation, so they cause no lookup.
#include "ctl/class/class.h"

#include "ctl/class/status.h"
#include "ctl/common/claim_facts.h"
#include "ctl/common/hash_stamp.h"
#include "ctl/common/notes.h"
#include "text/value_edit.h"

enum { STATUS_WRITTEN = 1, CLAIMS_NAMED = 5 };

// What is known of a class between a lookup and the end of what is done about it.
typedef struct {
    Key class; // {.name = its name}
    Symbol uid;
    int64_t generation; // that was looked up
    int64_t after_ns;   // when to ask again
    bool is_incomplete; // something could not be found out
} ClassNote;

// --- finalizer

static bool is_held(const Turn *turn, const ObjectMeta *meta) {
    Symbol finalizer = symbol_find(turn->symbols, class_finalizer(turn));

    for (vec_each(const Symbol, present, &meta->finalizers)) {
        if (*present == finalizer)
            return true;
    }
    return false;
}

// Writes the list of finalizers, with the provider's or without it.
static void write_finalizers(Turn *turn, const ClassFacts *class, bool with_ours) {
    Value *body = arena_new(turn->arena, Value), *list;
    Slice ours = class_finalizer(turn);

    *body = value_map();
    list = value_put(turn->arena, value_make(turn->arena, body, "metadata", NULL), SLICE("finalizers"), value_list());
    for (vec_each(const Symbol, present, &class->meta->finalizers)) {
        if (!slice_eq(symbol_text(turn->symbols, *present), ours))
            value_append(turn->arena, list, value_string(symbol_text(turn->symbols, *present)));
    }
    if (with_ours)
        value_append(turn->arena, list, value_string(ours));
    turn_patch(turn, class->kind, NAME_EMPTY, class->meta->name, KUBE_OBJECT, body, class->meta->revision);
}

// --- deletion

// Names of the NodeClaims that use the class, the first few of them; empty: none does. O(claims).
static Slice names_of_claims(Turn *turn, Symbol class) {
    uint32_t count = 0;
    Slice names = {0};

    for (Handle at = state_next(turn->state, KUBE_NODE_CLAIM, HANDLE_NONE); at.generation;
         at = state_next(turn->state, KUBE_NODE_CLAIM, at)) {
        const NodeClaim *claim = state_node_claim(turn->state, at);

        if (class_has_claim(turn, class, claim) && count++ < CLAIMS_NAMED)
            names = arena_printf(turn->arena, "%.*s%s%.*s", SLICE_ARG(names), names.len ? ", " : "",
                                 SLICE_ARG(symbol_text(turn->symbols, claim->meta.name)));
    }
    if (count > CLAIMS_NAMED)
        names = arena_printf(turn->arena, "%.*s and %u others", SLICE_ARG(names), count - CLAIMS_NAMED);
    return names;
}

static void finalize(Turn *turn, Key key, const ClassFacts *class) {
    Slice claims;

    if (!is_held(turn, class->meta))
        return;
    claims = names_of_claims(turn, class->meta->name);
    if (claims.len) {
        turn_event(turn, class->kind, class->meta, false, "WaitingOnNodeClaimTermination",
                   "Waiting for the termination of NodeClaims: %.*s", SLICE_ARG(claims));
        turn_again(turn, key, CLASS_WAIT_MIN * NS_PER_MIN);
        return;
    }
    turn_intend(turn, INTENT_FINALIZE_CLASS)->ref =
        (KubeRef){class->kind, (Slice){0}, symbol_text(turn->symbols, class->meta->name)};
    write_finalizers(turn, class, false);
}

// --- lookup

static void look_up(NoteTable *notes, Turn *turn, Key key, const ClassFacts *class) {
    ClassNote *note = notes_add(notes, key);

    note->uid = class->meta->uid;
    note->generation = class->meta->generation;
    if (!is_held(turn, class->meta))
        write_finalizers(turn, class, true); // before anything exists that the finalizer has to protect
    turn_intend(turn, INTENT_RESOLVE_CLASS)->ref =
        (KubeRef){class->kind, (Slice){0}, symbol_text(turn->symbols, class->meta->name)};
}

static void class_reconcile(void *self, Turn *turn, Key key) {
    ClassFacts class;

    if (!class_of_provider(turn, key.name, &class))
        return;
    if (class.meta->deleting)
        finalize(turn, key, &class);
    else
        look_up(self, turn, key, &class);
}

// --- answers

static void tell(Turn *turn, const ClassFacts *class, const CloudClass *found) {
    for (vec_each(const CloudNotice, notice, &found->notices))
        turn_event(turn, class->kind, class->meta, notice->is_warning, arena_text(turn->arena, notice->reason), "%.*s",
                   SLICE_ARG(notice->message));
}

static void rest(Turn *turn, Key key, const ClassNote *note) {
    int64_t least_ns = CLASS_REST_S * NS_PER_S;

    if (note->is_incomplete)
        return turn_retry(turn, key);
    turn_succeed(turn, key);
    turn_again(turn, key, note->after_ns > least_ns ? note->after_ns : least_ns);
}

static void ask_for_hash(Turn *turn, Key key, const ClassFacts *class, const CloudClass *found) {
    HashStamp stamp = {found->hash.key, found->hash_version.key, found->hash.value, found->hash_version.value};

    if (stamp.hash_key.len && !hash_stamp_is_on(turn, class->meta, &stamp))
        turn_enqueue(turn, &class_hash_controller, key, 0);
}

static void take_answer(NoteTable *notes, Turn *turn, Key key, const CloudClass *found) {
    ClassNote *note = notes_find(notes, key);
    ClassFacts class;

    if (!class_of_provider(turn, key.name, &class))
        return turn_succeed(turn, key);
    if (!note || note->uid != class.meta->uid || note->generation != class.meta->generation)
        return turn_again(turn, key, 0);
    note->after_ns = found->after_ns;
    note->is_incomplete = found->failure.code != OK;
    if (note->is_incomplete)
        turn_log(turn, LOG_ERROR, "Reconciler error", arena_text(turn->arena, turn->settings->node_class_kind),
                 symbol_text(turn->symbols, key.name), "error", arena_slice(turn->arena, slice_of(found->failure.text)),
                 NULL);
    tell(turn, &class, found);
    ask_for_hash(turn, key, &class, found);
    if (!class_status_write(turn, &class, found, STATUS_WRITTEN))
        rest(turn, key, note);
}

static void class_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    const Completion *last = &completions[count - 1];
    const ClassNote *note;

    if (last->code == OK && last->type == INTENT_RESOLVE_CLASS)
        return take_answer(self, turn, key, last->node_class);
    note = last->tag == STATUS_WRITTEN ? notes_find(self, key) : NULL;
    if (last->code == OK && note)
        return rest(turn, key, note);
    if (last->code == OK || (last->code == ERR_NOT_FOUND && last->type == INTENT_PATCH))
        return turn_succeed(turn, key); // the class is gone
    class_fail(turn, key, last->code, completion_text(last));
}

// --- which classes are reconciled

static bool is_new(const ObjectMeta *before, const ObjectMeta *after) {
    return !before || before->uid != after->uid || before->generation != after->generation ||
           before->deleting != after->deleting;
}

static void observe_class(NoteTable *notes, Turn *turn, const StateChange *change) {
    const ObjectMeta *before = change->before, *after = change->after; // the first member of the structs
    Key key = {.name = change->name};

    if (!after || (before && before->uid != after->uid))
        notes_remove(notes, key);
    if (after && is_new(before, after))
        turn_enqueue(turn, &class_controller, key, 0);
}

// A class that is being deleted waits for the last of its NodeClaims.
static void observe_claim(Turn *turn, const NodeClaim *ended) {
    ClassFacts class;

    if (!ended || !claim_is_managed(ended, turn->symbols, turn->settings))
        return;
    if (class_of_provider(turn, ended->spec.node_class.name, &class) && class.meta->deleting)
        turn_enqueue(turn, &class_controller, (Key){.name = class.meta->name}, 0);
}

static void class_observe(void *self, Turn *turn, const StateChange *change) {
    if (!turn->settings->looks_up_classes)
        return;
    if (change->kind == class_kind_find(turn->settings->node_class_kind))
        observe_class(self, turn, change);
    else if (change->kind == KUBE_NODE_CLAIM)
        observe_claim(turn, claim_ended(change));
}

const Controller class_controller = {
    .name = "nodeclass",
    .memory_size = sizeof(NoteTable),
    .notes = {{0, sizeof(ClassNote)}},
    .observe = class_observe,
    .reconcile = class_reconcile,
    .complete = class_complete,
    .backoff_first_ns = 100 * NS_PER_MS,
    .backoff_max_ns = NS_PER_MIN,
};
