// Facts about NodeClaims.
#include "ctl/common/claim_facts.h"

#include "ctl/common/node_facts.h"

enum { MESSAGE_MAX = 300 };

bool claim_is_managed(const NodeClaim *claim, const Symbols *symbols, const Settings *settings) {
    return slice_eq(symbol_text(symbols, claim->spec.node_class.group), settings->node_class_group) &&
           slice_eq(symbol_text(symbols, claim->spec.node_class.kind), settings->node_class_kind);
}

bool claim_is_held(const NodeClaim *claim, const Symbols *symbols) {
    for (vec_each(const Symbol, finalizer, &claim->meta.finalizers)) {
        if (slice_eq(symbol_text(symbols, *finalizer), node_finalizer))
            return true;
    }
    return false;
}

bool claim_is(const NodeClaim *claim, const Symbols *symbols, const char *condition) {
    return condition_is_true(&claim->conditions, symbols, slice_of(condition));
}

bool claim_is_stuck(const NodeClaim *claim, const Symbols *symbols, const Settings *settings, int64_t now_ns) {
    const Condition *registered = condition_get(&claim->conditions, symbols, SLICE("Registered"));

    return claim_is(claim, symbols, "Registered") && !claim_is(claim, symbols, "Initialized") &&
           !claim_is_rebooting(claim, symbols) && registered->transition_ns &&
           now_ns - registered->transition_ns > settings->registration_timeout_ns;
}

const NodeClaim *claim_of_key(const Turn *turn, Key key, Handle *ret_handle) {
    Handle handle = state_find(turn->state, KUBE_NODE_CLAIM, key.ns, key.name);
    const NodeClaim *claim = state_node_claim(turn->state, handle);

    if (!claim || !claim_is_managed(claim, turn->symbols, turn->settings))
        return NULL;
    if (ret_handle)
        *ret_handle = handle;
    return claim;
}

const Node *claim_node(const State *state, const NodeClaim *claim) {
    const HandleVec *nodes;

    if (claim->provider_id == NAME_EMPTY)
        return NULL;
    nodes = state_nodes_with_provider_id(state, claim->provider_id);
    return nodes->count == 1 ? state_node(state, nodes->items[0]) : NULL;
}

static bool is_same_claim(const StateChange *change) {
    const NodeClaim *before = change->before, *after = change->after;

    return before && after && before->meta.uid == after->meta.uid;
}

const NodeClaim *claim_ended(const StateChange *change) {
    return is_same_claim(change) ? NULL : change->before;
}

const NodeClaim *claim_begun(const StateChange *change) {
    return is_same_claim(change) ? NULL : change->after;
}

Slice claim_message(Arena *arena, Slice text) {
    return claim_text(arena, text, MESSAGE_MAX);
}

Slice claim_text(Arena *arena, Slice text, size_t most) {
    size_t length = most;

    if (text.len <= most)
        return text;
    while (length > 0 && ((unsigned char)text.ptr[length] & 0xc0) == 0x80) // not within a UTF-8 character
        length--;
    return arena_printf(arena, "%.*s...", (int)length, text.ptr);
}

static void log_error(Turn *turn, Slice why) {
    turn_log(turn, LOG_ERROR, "Reconciler error", "error", why, NULL);
}

void claim_fail(Turn *turn, Key key, Slice why) {
    log_error(turn, why);
    turn_retry(turn, key);
}

void claim_log_failure(Turn *turn, const Completion *completion) {
    if (completion->code != OK && completion->code != ERR_NOT_FOUND && completion->code != ERR_CONFLICT)
        log_error(turn, completion_text(completion));
}

void claim_settle(Turn *turn, Key key, const Completion *last) {
    if (last->code == OK || last->code == ERR_NOT_FOUND)
        return turn_succeed(turn, key);
    if (last->code == ERR_CONFLICT)
        return turn_retry(turn, key);
    claim_fail(turn, key, completion_text(last));
}

Symbol claim_linked(const NodeClaim *claim, const Symbols *symbols) {
    Symbol key = symbol_find(symbols, SLICE(CLAIM_LINKED));
    Symbol linked = key == INDEX_NONE ? INDEX_NONE : labels_get(&claim->meta.annotations, key);

    return linked == INDEX_NONE ? NAME_EMPTY : linked;
}
