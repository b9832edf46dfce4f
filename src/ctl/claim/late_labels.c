#include "ctl/claim/late_labels.h"

#include "text/value_edit.h"

// The key as a symbol, if the claim has the label and its value is empty; else INDEX_NONE.
static Symbol missing_label(const Turn *turn, const NodeClaim *claim, const char *text) {
    Symbol key = symbol_find(turn->symbols, slice_of(text));

    return key != INDEX_NONE && labels_get(&claim->meta.labels, key) == NAME_EMPTY ? key : INDEX_NONE;
}

static const char *first_missing(const Turn *turn, const NodeClaim *claim) {
    for (const char *const *key = cloud_late_labels(turn->cloud); *key; key++) {
        if (missing_label(turn, claim, *key) != INDEX_NONE)
            return *key;
    }
    return NULL;
}

static void ask(ClaimPass *pass) {
    ClaimNote *note = pass->note;

    note->label_look_at = mono_after(pass->turn->now, claim_back_off_ns(1, note->label_looks++, CLAIM_LABELS_MAX_S));
    claim_look_up(pass);
}

bool claim_wait_for_labels(ClaimPass *pass) {
    Turn *turn = pass->turn;
    const char *missing = first_missing(turn, pass->claim);

    if (!missing || !claim_is(pass->claim, turn->symbols, "Launched") || pass->claim->provider_id == NAME_EMPTY ||
        !conditions_is_unknown(&pass->conditions, "Registered"))
        return true;
    if (mono_reached(turn->now, pass->note->label_look_at)) // {0}: never asked
        ask(pass);
    claim_pass_wait(pass, mono_left(turn->now, pass->note->label_look_at));
    conditions_set_unknown(&pass->conditions, "Registered", "RegistrationHookPending",
                           arena_printf(turn->arena, "%s is not known yet", missing));
    return false;
}

void claim_take_labels(Turn *turn, const NodeClaim *claim, const Completion *completion) {
    Value *body;

    if (completion->code != OK)
        return;
    body = arena_new(turn->arena, Value);
    *body = value_map();
    for (const char *const *text = cloud_late_labels(turn->cloud); *text; text++) {
        Symbol key = missing_label(turn, claim, *text), value;

        value = key == INDEX_NONE ? INDEX_NONE : labels_get(&completion->instance->labels, key);
        if (value != INDEX_NONE && value != NAME_EMPTY)
            value_put(turn->arena, value_make(turn->arena, body, "metadata", "labels", NULL), slice_of(*text),
                      value_string(symbol_text(turn->symbols, value)));
    }
    if (body->map.count)
        turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name, KUBE_OBJECT, body, 0);
}
