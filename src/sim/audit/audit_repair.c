// The rules about repair. What is younger than a minute may not have been seen.
#include "sim/audit/audit_repair.h"

#include "cloud/aws/repair_table.h"
#include "cloud/kwok/repair_table.h"
#include "model/names.h"
#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_rules.h"
#include "text/duration.h"

// A repair is decided up to a minute before it is seen, so two that are ten minutes apart may seem nine.
enum { BREAKER_PERCENT = 20, PACE_PERCENT = 5, PACE_MINUTES = 9, SLACK_S = 2 };

// --- sickness

static const NodePool *pool_of(const Audit *audit, Symbol name) {
    const State *state = world_state(audit->world);

    return name == INDEX_NONE ? NULL : state_node_pool(state, state_find(state, KUBE_NODE_POOL, SYMBOL_EMPTY, name));
}

static RepairPolicies policies_of(const Audit *audit, Symbol pool) {
    const NodePool *found = pool_of(audit, pool);

    if (!found)
        return (RepairPolicies){0};
    return slice_eq(audit_text(audit, found->template_spec.node_class.kind), SLICE("KWOKNodeClass"))
               ? kwok_repair_policies()
               : aws_repair_policies();
}

// Whether the condition is one that the policy is about; its reason does not matter.
static bool is_about(const Audit *audit, const RepairPolicy *policy, const Condition *condition) {
    return slice_eq_text(audit_text(audit, condition->type), policy->condition) &&
           slice_eq_text(audit_text(audit, condition->status), policy->status);
}

// A policy without a reason is for what no other one names.
static bool applies(const Audit *audit, const RepairPolicies *policies, const RepairPolicy *policy,
                    const Condition *condition) {
    Slice reason = audit_text(audit, condition->reason);

    if (policy->reason)
        return repair_reason_matches(policy->reason, reason);
    for (uint32_t i = 0; i < policies->count; i++) {
        const RepairPolicy *other = &policies->items[i];

        if (is_about(audit, other, condition) && other->reason && repair_reason_matches(other->reason, reason))
            return false;
    }
    return true;
}

// Whether a condition of a policy has been seen for longer than it tolerates, or perhaps was until a minute ago.
static bool has_been_sick(const Audit *audit, const Node *node, const RepairPolicies *policies) {
    int64_t now = world_now_ns(audit->world);

    for (vec_each(const Condition, condition, &node->conditions)) {
        int64_t from = condition->transition_ns;

        if (from < node->meta.created_ns)
            from = node->meta.created_ns;
        for (uint32_t i = 0; i < policies->count; i++) {
            const RepairPolicy *policy = &policies->items[i];

            if (!slice_eq_text(audit_text(audit, condition->type), policy->condition))
                continue;
            if (!is_about(audit, policy, condition) && !audit_is_old(audit, condition->transition_ns))
                return true;
            if (is_about(audit, policy, condition) && applies(audit, policies, policy, condition) &&
                now - from >= policy->toleration_ns - SLACK_S * NS_PER_S)
                return true;
        }
    }
    return false;
}

// Whether tenon must have seen that the node reports what a policy names, for however short a time.
static bool is_watched(const Audit *audit, const Node *node, const RepairPolicies *policies) {
    for (vec_each(const Condition, condition, &node->conditions)) {
        for (uint32_t i = 0; i < policies->count; i++) {
            if (is_about(audit, &policies->items[i], condition) && audit_is_old(audit, condition->transition_ns))
                return true;
        }
    }
    return false;
}

// --- wards: a NodePool, a zone, an image

static const char *const ward_words[AUDIT_WARD_KINDS] = {"NodePool", "zone", "image"};

void audit_note_ward(Audit *audit, AuditClaim *known, const NodeClaim *claim) {
    Symbol now[AUDIT_WARD_KINDS] = {labels_get(&claim->meta.labels, NAME_NODEPOOL),
                                    labels_get(&claim->meta.labels, NAME_ZONE), claim->image_id};

    for (size_t kind = 0; kind < AUDIT_WARD_KINDS; kind++) {
        if (now[kind] == INDEX_NONE || now[kind] == known->wards[kind])
            continue;
        known->wards[kind] = now[kind];
        symbol_hold(&audit->symbols, now[kind]);
    }
}

typedef struct {
    uint32_t nodes, sick;
} WardNodes;

static const Node *node_of(const Audit *audit, const AuditClaim *known) {
    const State *state = world_state(audit->world);

    return state_node(state, state_node_of_claim(state, state_find_uid(state, KUBE_NODE_CLAIM, known->uid)));
}

// Whether it was going already when the repair of the other one was decided.
static bool is_going(const AuditClaim *known, const AuditClaim *patient) {
    return known->lost_ns || (known->candidate_of && known != patient);
}

// As many nodes, and as few sick ones, as tenon may have counted in the patient's ward.
static WardNodes count_ward(const Audit *audit, const AuditClaim *patient, size_t kind) {
    Symbol name = patient->wards[kind];
    WardNodes ward = {0};

    for (vec_each(AuditClaim *const, each, &audit->claims)) {
        const AuditClaim *known = *each;
        const Node *node;
        RepairPolicies policies;

        if (known->wards[kind] != name || (known->lost_ns && audit_is_old(audit, known->lost_ns)))
            continue;
        ward.nodes++;
        node = is_going(known, patient) ? NULL : node_of(audit, known);
        policies = policies_of(audit, known->wards[AUDIT_WARD_POOL]);
        ward.sick += node && is_watched(audit, node, &policies);
    }
    return ward;
}

static uint32_t share_of(uint32_t nodes, uint32_t percent) {
    return (uint32_t)(((uint64_t)nodes * percent + 99) / 100);
}

static void check_breaker(Audit *audit, const AuditClaim *known, size_t kind) {
    WardNodes ward = count_ward(audit, known, kind);

    if (ward.sick > share_of(ward.nodes, BREAKER_PERCENT))
        audit_violate(audit, AUDIT_BREAKER, "NodeClaim %.*s is repaired though %u of the %u nodes of %s %.*s are sick",
                      SLICE_ARG(audit_text(audit, known->name)), ward.sick, ward.nodes, ward_words[kind],
                      SLICE_ARG(audit_text(audit, known->wards[kind])));
}

// A NodePool that is gone has taken its history with it.
static void check_pace(Audit *audit, const AuditClaim *known, size_t kind) {
    uint32_t nodes = count_ward(audit, known, kind).nodes, most = share_of(nodes, PACE_PERCENT), before = 0;
    int64_t since = world_now_ns(audit->world) - PACE_MINUTES * NS_PER_MIN;

    for (vec_each(const AuditRepair, repair, &audit->repairs))
        before += repair->at_ns > since && repair->wards[kind] == known->wards[kind] &&
                  pool_of(audit, repair->wards[AUDIT_WARD_POOL]);
    if (before >= (most ? most : 1))
        audit_violate(audit, AUDIT_PACE,
                      "NodeClaim %.*s is repaired though %u of the %u nodes of %s %.*s were within %d minutes",
                      SLICE_ARG(audit_text(audit, known->name)), before, nodes, ward_words[kind],
                      SLICE_ARG(audit_text(audit, known->wards[kind])), PACE_MINUTES);
}

// --- history

// Whether the annotation has "<time>/<zone>/<image>" of the last minute.
static bool is_recorded(const Audit *audit, const AuditClaim *known, Slice history) {
    Slice zone = audit_text(audit, known->wards[AUDIT_WARD_ZONE]);
    Slice image = audit_text(audit, known->wards[AUDIT_WARD_IMAGE]);

    while (history.len) {
        ptrdiff_t end = slice_find(history, ','), slash;
        Slice entry = end < 0 ? history : slice_first(history, (size_t)end);
        int64_t at_ns;

        history = end < 0 ? (Slice){0} : slice_from(history, (size_t)end + 1);
        slash = slice_find(entry, '/');
        if (slash < 0 || time_parse(slice_first(entry, (size_t)slash), &at_ns, NULL) != OK ||
            audit_is_old(audit, at_ns))
            continue;
        entry = slice_from(entry, (size_t)slash + 1);
        if (slice_starts_with(entry, zone) && entry.len == zone.len + 1 + image.len &&
            slice_eq(slice_from(entry, zone.len + 1), image))
            return true;
    }
    return false;
}

static void check_recorded(Audit *audit, const AuditClaim *known) {
    const NodePool *pool = pool_of(audit, known->wards[AUDIT_WARD_POOL]);
    Symbol history = pool ? labels_get(&pool->meta.annotations, NAME_REPAIRS) : INDEX_NONE;

    if (pool && !is_recorded(audit, known, history == INDEX_NONE ? (Slice){0} : audit_text(audit, history)))
        audit_violate(audit, AUDIT_RECORDED, "the repair of NodeClaim %.*s is not in the history of NodePool %.*s",
                      SLICE_ARG(audit_text(audit, known->name)), SLICE_ARG(audit_text(audit, pool->meta.name)));
}

// --- the rules

static void check_patient(Audit *audit, const AuditClaim *known, const Node *node) {
    RepairPolicies policies = policies_of(audit, known->wards[AUDIT_WARD_POOL]);

    if (known->vetoed_ns && audit_is_old(audit, known->vetoed_ns))
        audit_violate(audit, AUDIT_DO_NOT_REPAIR, "node %.*s is repaired though it is do-not-repair",
                      SLICE_ARG(audit_text(audit, node->meta.name)));
    if (pool_of(audit, known->wards[AUDIT_WARD_POOL]) && !has_been_sick(audit, node, &policies))
        audit_violate(audit, AUDIT_SICK, "node %.*s is repaired though it is not sick, or has not been for long enough",
                      SLICE_ARG(audit_text(audit, node->meta.name)));
}

void audit_check_repair(Audit *audit, AuditClaim *known, const NodeClaim *claim, const Node *node) {
    AuditRepair repair = {.at_ns = world_now_ns(audit->world)};

    audit_note_ward(audit, known, claim);
    check_patient(audit, known, node);
    check_recorded(audit, known);
    for (size_t kind = 0; kind < AUDIT_WARD_KINDS; kind++) {
        repair.wards[kind] = known->wards[kind];
        if (known->wards[kind] == SYMBOL_EMPTY)
            continue;
        check_breaker(audit, known, kind);
        if (kind != AUDIT_WARD_POOL)
            check_pace(audit, known, kind);
    }
    vec_push(&audit->arena, &audit->repairs, repair);
}
