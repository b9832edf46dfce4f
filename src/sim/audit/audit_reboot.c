// The rule about reboots.
#include "sim/audit/audit_reboot.h"

#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_rules.h"

enum { MOST_A_DAY = 2 };

static const NodeClaim *claim_of(const Audit *audit, Symbol provider_id) {
    const State *state = world_state(audit->world);
    const HandleVec *claims = provider_id == INDEX_NONE ? NULL : state_claims_with_provider_id(state, provider_id);

    return claims && claims->count ? state_node_claim(state, claims->items[0]) : NULL;
}

static bool is_fenced(const Audit *audit, const NodeClaim *claim) {
    const State *state = world_state(audit->world);
    const Node *node =
        state_node(state, state_node_of_claim(state, state_find_uid(state, KUBE_NODE_CLAIM, claim->meta.uid)));

    return node && audit_is_fenced(node);
}

// Notes the operation, if it is new. How many there were within a day.
static uint32_t note(Audit *audit, Symbol uid, Slice operation) {
    int64_t now = world_now_ns(audit->world);
    uint64_t hash = slice_hash(operation);
    uint32_t lately = 0;
    bool is_known = false;

    for (vec_each(const AuditReboot, reboot, &audit->reboots)) {
        is_known |= reboot->claim == uid && reboot->operation == hash;
        lately += reboot->claim == uid && reboot->at_ns > now - 24 * NS_PER_HOUR;
    }
    if (is_known)
        return lately;
    symbol_hold(&audit->symbols, uid);
    vec_push(&audit->arena, &audit->reboots, (AuditReboot){uid, hash, now});
    return lately + 1;
}

void audit_reboot(Audit *audit, Symbol provider_id, Slice operation) {
    const NodeClaim *claim = claim_of(audit, provider_id);
    const char *why = NULL;

    if (!claim)
        return; // it is gone, and tenon does not know yet
    if (!claim_is_rebooting(claim, world_symbols(audit->world)))
        why = "without a request";
    else if (!is_fenced(audit, claim))
        why = "though pods may be scheduled to it";
    else if (note(audit, claim->meta.uid, operation) > MOST_A_DAY)
        why = "for the third time within a day";
    if (why)
        audit_violate(audit, AUDIT_REBOOTED, "the node of NodeClaim %.*s is rebooted %s",
                      SLICE_ARG(audit_text(audit, claim->meta.name)), why);
}
