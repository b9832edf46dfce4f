// The rule about marks without a command.
#include "sim/audit/audit_left.h"

#include "sim/audit/audit_commands.h"
#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_rules.h"
#include "text/duration.h"

#include <inttypes.h>

// A command may wait for an hour; what one left is taken off at once, or after failures.
enum { COMMAND_MINUTES = 65, LEFT_MINUTES = 6 };

static bool has_record(const Audit *audit, const ObjectMeta *meta) {
    Symbol key = symbol_find(world_symbols(audit->world), SLICE("tenon.sh/command"));

    return key != INDEX_NONE && labels_get(&meta->annotations, key) != INDEX_NONE;
}

static bool is_marked(const Audit *audit, const NodeClaim *claim, const Node *node) {
    return has_record(audit, &claim->meta) || audit_claim_is(audit, claim, "DisruptionReason") ||
           (node && (audit_is_tainted(node) || has_record(audit, &node->meta)));
}

static bool is_waiting(const Audit *audit, const AuditCommand *command) {
    return world_now_ns(audit->world) - command->begun_ns < COMMAND_MINUTES * NS_PER_MIN &&
           audit_command_lives(audit, command) &&
           !(command->awaited && audit_command_ready(audit, command) >= command->awaited);
}

// Whether a command that waits for its replacements has marked it.
static bool is_of_command(const Audit *audit, const AuditClaim *known) {
    if (known->candidate_of)
        return is_waiting(audit, known->candidate_of);
    return known->replacement_of && known->replacement_of->candidates.count && is_waiting(audit, known->replacement_of);
}

static void look_at(Audit *audit, AuditClaim *known, const NodeClaim *claim, const Node *node) {
    int64_t now = world_now_ns(audit->world), from;

    if (!is_marked(audit, claim, node) || claim_is_rebooting(claim, world_symbols(audit->world)) ||
        claim->meta.deleting || (node && node->meta.deleting) || is_of_command(audit, known)) {
        known->left_ns = 0;
        return;
    }
    if (!known->left_ns)
        known->left_ns = now;
    from = known->left_ns > audit->excused_ns ? known->left_ns : audit->excused_ns;
    if (now - from <= LEFT_MINUTES * NS_PER_MIN)
        return;
    audit_violate(audit, AUDIT_UNTAINTED_AFTER,
                  "NodeClaim %.*s or its Node has been marked for %" PRId64 " minutes, and no command is under way",
                  SLICE_ARG(symbol_text(world_symbols(audit->world), claim->meta.name)),
                  (now - known->left_ns) / NS_PER_MIN);
    known->left_ns = INT64_MAX / 2; // reported once
}

void audit_check_left(Audit *audit) {
    const State *state = world_state(audit->world);

    for (Handle handle = state_next(state, KUBE_NODE_CLAIM, HANDLE_NONE); handle.generation;
         handle = state_next(state, KUBE_NODE_CLAIM, handle)) {
        const NodeClaim *claim = state_node_claim(state, handle);

        look_at(audit, audit_claim(audit, claim), claim, state_node(state, state_node_of_claim(state, handle)));
    }
}
