// Helpers of the steps of a pass: the time of the next pass, events, conditions of the claim. Behaviour: reference
// lifecycle.md 3.2.
#include "ctl/node/pass.h"

void node_pass_wait(NodePass *pass, int64_t ns) {
    if (ns < 0)
        ns = 0;
    if (ns < pass->wait_ns)
        pass->wait_ns = ns;
}

void node_pass_wait_until(NodePass *pass, int64_t wall_ns) {
    if (wall_ns != INT64_MAX)
        node_pass_wait(pass, wall_ns - pass->turn->wall_ns);
}

void node_pass_wait_for_changes(NodePass *pass) {
    int64_t poll_ns = (pass->turn->wall_ns - pass->node->meta.deleted_ns) / 30;

    if (poll_ns < NODE_DRAIN_POLL_S * NS_PER_S)
        poll_ns = NODE_DRAIN_POLL_S * NS_PER_S;
    if (poll_ns > NODE_DRAIN_POLL_MAX_S * NS_PER_S)
        poll_ns = NODE_DRAIN_POLL_MAX_S * NS_PER_S;
    node_pass_wait(pass, poll_ns);
}

void node_pass_say(NodePass *pass, bool warning, const char *reason, Slice message) {
    Turn *turn = pass->turn;

    if (!pass->speaks)
        return;
    pass->note->said = turn->now;
    turn_event(turn, KUBE_NODE, &pass->node->meta, warning, reason, "%.*s", SLICE_ARG(message));
    vec_last(turn->intents)->event.dedupe_key = symbol_text(turn->symbols, pass->node->meta.name);
}

void node_pass_fail(Turn *turn, Key key, Slice why) {
    turn_log(turn, LOG_ERROR, "Reconciler error", "error", why, NULL);
    turn_retry(turn, key);
}

void node_pass_set_unknown(NodePass *pass, const char *type, const char *reason) {
    if (pass->claim && conditions_set_unknown(&pass->conditions, type, reason, slice_of(reason)))
        pass->conditions_changed = true;
}

void node_pass_set_false(NodePass *pass, const char *type, const char *reason) {
    if (pass->claim && conditions_set_false(&pass->conditions, type, reason, slice_of(reason)))
        pass->conditions_changed = true;
}

void node_pass_set_true(NodePass *pass, const char *type) {
    if (pass->claim && conditions_set_true(&pass->conditions, type))
        pass->conditions_changed = true;
}
