// The rules about expiration.
#include "sim/audit/audit_expire.h"

#include "sim/audit/audit_commands.h"
#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_rules.h"
#include "text/duration.h"

#include <inttypes.h>

// A claim a second is deleted; calls that fail are repeated. The lead is a tenth of expireAfter at most. Times of
// objects are whole seconds.
enum { LATE_MINUTES = 6, JITTER_MAX_H = 24, LEAD_PARTS = 10, SLACK_S = 2 };

void audit_set_expiration(Audit *audit, uint32_t jitter_percent, int64_t lead_ns) {
    audit->expiration_jitter_percent = jitter_percent;
    audit->expiration_lead_ns = lead_ns;
}

// INT64_MAX: never.
static int64_t latest_ns(const NodeClaim *claim) {
    int64_t at_ns;

    if (claim->spec.expire_after_ns == DURATION_NEVER ||
        __builtin_add_overflow(claim->meta.created_ns, claim->spec.expire_after_ns, &at_ns))
        return INT64_MAX;
    return at_ns;
}

static int64_t least_of(int64_t a_ns, int64_t b_ns) {
    return a_ns < b_ns ? a_ns : b_ns;
}

static int64_t earliest_ns(const Audit *audit, const NodeClaim *claim) {
    int64_t jitter_ns = claim->spec.expire_after_ns / 100 * audit->expiration_jitter_percent;

    return latest_ns(claim) == INT64_MAX
               ? INT64_MAX
               : latest_ns(claim) - least_of(jitter_ns, JITTER_MAX_H * NS_PER_HOUR) - SLACK_S * NS_PER_S;
}

// --- too early

bool audit_expires(const Audit *audit, const NodeClaim *claim) {
    return world_now_ns(audit->world) >= earliest_ns(audit, claim);
}

bool audit_goes_early(const Audit *audit, const NodeClaim *claim) {
    return latest_ns(claim) != INT64_MAX &&
           world_now_ns(audit->world) - claim->meta.created_ns >= claim->spec.expire_after_ns / 2;
}

void audit_check_early(Audit *audit, const NodeClaim *claim) {
    int64_t earliest = earliest_ns(audit, claim), now = world_now_ns(audit->world);

    if (earliest != INT64_MAX)
        earliest -= least_of(audit->expiration_lead_ns, claim->spec.expire_after_ns / LEAD_PARTS);
    if (now >= earliest)
        return;
    audit_violate(audit, AUDIT_NOT_EARLY, "NodeClaim %.*s expires %" PRId64 " s after its creation",
                  SLICE_ARG(audit_text(audit, claim->meta.name)), (now - claim->meta.created_ns) / NS_PER_S);
}

// --- too late

static void look_at(Audit *audit, const NodeClaim *claim, int64_t turn_ns) {
    AuditClaim *known = audit_claim(audit, claim);
    int64_t from = latest_ns(claim), now = world_now_ns(audit->world);

    if (from == INT64_MAX || claim->meta.deleting || known->said_late)
        return;
    if (from < audit->excused_ns)
        from = audit->excused_ns;
    if (now - from <= LATE_MINUTES * NS_PER_MIN + turn_ns)
        return;
    known->said_late = true;
    audit_violate(audit, AUDIT_EXPIRED, "NodeClaim %.*s should have expired %" PRId64 " minutes ago",
                  SLICE_ARG(audit_text(audit, claim->meta.name)), (now - latest_ns(claim)) / NS_PER_MIN);
}

void audit_check_expired(Audit *audit) {
    const State *state = world_state(audit->world);
    int64_t turn_ns = 0;

    for (Handle handle = state_next(state, KUBE_NODE_CLAIM, HANDLE_NONE); handle.generation;
         handle = state_next(state, KUBE_NODE_CLAIM, handle))
        turn_ns += NS_PER_S;
    for (Handle handle = state_next(state, KUBE_NODE_CLAIM, HANDLE_NONE); handle.generation;
         handle = state_next(state, KUBE_NODE_CLAIM, handle))
        look_at(audit, state_node_claim(state, handle), turn_ns);
}
