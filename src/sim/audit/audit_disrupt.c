// Commands that begin: what their records say is remembered, and the rules about their candidates are checked when the
// condition DisruptionReason tells the reason.
#include "sim/audit/audit_disrupt.h"

#include "model/names.h"
#include "sim/audit/audit_budget.h"
#include "sim/audit/audit_commands.h"
#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_protect.h"
#include "sim/audit/audit_repair.h"
#include "sim/audit/audit_rules.h"
#include "text/duration.h"

#include <inttypes.h>

// Between the moment in which a node becomes a candidate and its disruption, for emptiness and consolidation.
static const int64_t PROOF_NS = 15 * NS_PER_S;

// --- nothing twice

static bool is_under_way(const Audit *audit, const AuditCommand *command) {
    for (vec_each(AuditClaim *const, candidate, &command->candidates)) {
        if (!(*candidate)->lost_ns)
            return audit_command_lives(audit, command);
    }
    return false;
}

static void check_once(Audit *audit, const AuditClaim *known, const AuditCommand *command) {
    const AuditCommand *other = known->candidate_of ? known->candidate_of : known->replacement_of;

    if (!other || other == command || (!known->candidate_of && !is_under_way(audit, other)))
        return;
    audit_violate(audit, AUDIT_ONE_COMMAND, "NodeClaim %.*s is in command %.*s while it is in %.*s",
                  SLICE_ARG(audit_text(audit, known->name)), SLICE_ARG(audit_text(audit, command->uuid)),
                  SLICE_ARG(audit_text(audit, other->uuid)));
}

static void check_number(Audit *audit, const AuditCommand *command) {
    uint32_t living = audit_command_living(command);

    if (command->begun_ns && living > command->awaited)
        audit_violate(audit, AUDIT_ONE_COMMAND, "command %.*s has %u replacements, and awaits %u",
                      SLICE_ARG(audit_text(audit, command->uuid)), living, command->awaited);
}

// --- Nodes

static bool says_true(const Audit *audit, const ObjectMeta *meta, const char *annotation) {
    Symbol key = symbol_find(world_symbols(audit->world), slice_of(annotation));
    Symbol value = key == INDEX_NONE ? INDEX_NONE : labels_get(&meta->annotations, key);

    return value != INDEX_NONE && slice_eq(audit_text(audit, value), SLICE("true"));
}

// Keeps since when it is so; 0: it is not.
static void note_since(const Audit *audit, int64_t *since_ns, bool is_so) {
    if (!is_so)
        *since_ns = 0;
    else if (!*since_ns)
        *since_ns = world_now_ns(audit->world);
}

static void note_guards(const Audit *audit, AuditClaim *known, const NodeClaim *claim, const Node *node) {
    static const char veto[] = "karpenter.sh/do-not-repair";

    note_since(audit, &known->guarded_ns, node && says_true(audit, &node->meta, "karpenter.sh/do-not-disrupt"));
    note_since(audit, &known->vetoed_ns,
               says_true(audit, &claim->meta, veto) || (node && says_true(audit, &node->meta, veto)));
}

static void note_candidate(Audit *audit, AuditClaim *known, const Node *node) {
    AuditRecord record;
    AuditCommand *command = NULL;

    if (audit_record(audit, &node->meta, &record) && record.is_candidate)
        command = audit_command(audit, record.uuid);
    if (command == known->candidate_of)
        return;
    if (command)
        check_once(audit, known, command);
    if (known->candidate_of)
        audit_command_leave(known);
    if (command)
        audit_command_add(audit, command, known, record.awaited);
}

void audit_observe_node(Audit *audit, const Node *node) {
    const NodeClaim *claim = audit_claim_of_node(audit, node->meta.name);
    AuditClaim *known;

    if (!claim)
        return;
    known = audit_claim(audit, claim);
    note_guards(audit, known, claim, node);
    note_candidate(audit, known, node);
}

// --- NodeClaims

static void note_consolidatable(const Audit *audit, AuditClaim *known, const NodeClaim *claim) {
    int64_t now = world_now_ns(audit->world);

    if (!audit_claim_is(audit, claim, "Consolidatable")) {
        if (!known->interrupted_ns)
            known->interrupted_ns = now;
        return;
    }
    if (!known->consolidatable_ns || (known->interrupted_ns && now - known->interrupted_ns >= PROOF_NS))
        known->consolidatable_ns = now;
    known->interrupted_ns = 0;
}

static void note_replacement(Audit *audit, AuditClaim *known, const NodeClaim *claim) {
    AuditRecord record;
    AuditCommand *command = NULL;

    if (audit_record(audit, &claim->meta, &record) && !record.is_candidate)
        command = audit_command(audit, record.uuid);
    if (command == known->replacement_of)
        return;
    if (!command) {
        known->replacement_of = NULL;
        return;
    }
    audit_command_add_replacement(audit, command, known);
    check_number(audit, command);
}

static const Node *node_of(const Audit *audit, const NodeClaim *claim) {
    const State *state = world_state(audit->world);

    return state_node(state, state_node_of_claim(state, state_find_uid(state, KUBE_NODE_CLAIM, claim->meta.uid)));
}

static void note_claim(Audit *audit, AuditClaim *known, const NodeClaim *claim) {
    int64_t now = world_now_ns(audit->world);

    if (known->provider_id != claim->provider_id) {
        known->provider_id = claim->provider_id;
        symbol_hold(&audit->symbols, known->provider_id);
    }
    if (!known->initialized_ns && audit_claim_is(audit, claim, "Initialized"))
        known->initialized_ns = now;
    if (!known->lost_ns && claim->meta.deleting)
        known->lost_ns = now;
    note_guards(audit, known, claim, node_of(audit, claim));
    audit_note_ward(audit, known, claim);
    note_consolidatable(audit, known, claim);
    note_replacement(audit, known, claim);
}

// --- the reason

DisruptionReason audit_reason(const Audit *audit, const NodeClaim *claim) {
    const Condition *condition =
        claim ? condition_get(&claim->conditions, world_symbols(audit->world), SLICE("DisruptionReason")) : NULL;
    DisruptionReason reason = 0;

    if (!condition || !audit_claim_is(audit, claim, "DisruptionReason"))
        return DISRUPTION_REASON_COUNT;
    while (reason < DISRUPTION_REASON_COUNT &&
           !slice_eq_text(audit_text(audit, condition->reason), disruption_reason_words[reason]))
        reason++;
    return reason;
}

static void check_proved(Audit *audit, const AuditClaim *known, DisruptionReason reason) {
    int64_t for_ns = world_now_ns(audit->world) - known->consolidatable_ns;

    if (reason != DISRUPTION_EMPTY && reason != DISRUPTION_UNDERUTILIZED)
        return;
    if (!known->consolidatable_ns || for_ns < PROOF_NS)
        audit_violate(audit, AUDIT_PROVED,
                      "NodeClaim %.*s is disrupted (%s) %" PRId64 " s after it became consolidatable",
                      SLICE_ARG(audit_text(audit, known->name)), disruption_reason_words[reason],
                      known->consolidatable_ns ? for_ns / NS_PER_S : 0);
}

// What Karpenter or a user wrote has no record, and is not tenon's.
static void check_begin(Audit *audit, AuditClaim *known, const NodeClaim *claim, DisruptionReason reason) {
    const Node *node = node_of(audit, claim);

    if (!node || !known->candidate_of || reason == DISRUPTION_REASON_COUNT)
        return;
    known->candidate_of->reason = reason;
    audit_check_budget(audit, claim, reason);
    audit_check_protected(audit, claim, node, reason);
    check_proved(audit, known, reason);
    if (reason == DISRUPTION_UNHEALTHY)
        audit_check_repair(audit, known, claim, node);
}

void audit_observe_claim(Audit *audit, const NodeClaim *before, const NodeClaim *after) {
    AuditClaim *known = audit_claim(audit, after ? after : before);

    if (!after) {
        known->lost_ns = known->lost_ns ? known->lost_ns : world_now_ns(audit->world);
        return;
    }
    note_claim(audit, known, after);
    if (audit_reason(audit, before) != audit_reason(audit, after))
        check_begin(audit, known, after, audit_reason(audit, after));
}
