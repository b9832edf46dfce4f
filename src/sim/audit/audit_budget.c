// The rule about budgets.
#include "sim/audit/audit_budget.h"

#include "model/names.h"
#include "sim/audit/audit_commands.h"
#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_rules.h"
#include "text/duration.h"

#include <time.h>

// --- what budgets allow

static bool is_hit(const CronSchedule *schedule, int64_t minute) {
    time_t seconds = minute * 60;
    struct tm at;
    bool day, weekday;

    gmtime_r(&seconds, &at);
    day = schedule->days >> at.tm_mday & 1;
    weekday = schedule->weekdays >> at.tm_wday & 1;
    if (!(schedule->minutes >> at.tm_min & 1) || !(schedule->hours >> at.tm_hour & 1) ||
        !(schedule->months >> (at.tm_mon + 1) & 1))
        return false;
    return schedule->every_day || schedule->every_weekday ? day && weekday : day || weekday;
}

// Whether it is within the duration after a time of its schedule. One that never comes counts as always active.
static bool is_active(const PoolBudget *budget, int64_t at_ns) {
    int64_t last = at_ns / NS_PER_MIN, first = (at_ns - budget->duration_ns) / NS_PER_MIN;

    if (!budget->scheduled)
        return true;
    for (int64_t minute = last; minute >= first; minute--) {
        if (is_hit(&budget->schedule, minute) && at_ns - minute * NS_PER_MIN < budget->duration_ns)
            return true;
    }
    return cron_next(&budget->schedule, at_ns) == INT64_MAX;
}

static uint32_t nodes_of(const PoolBudget *budget, uint32_t total) {
    return budget->percent ? (uint32_t)(((uint64_t)budget->nodes * total + 99) / 100) : budget->nodes;
}

uint32_t audit_budget_allows(const NodePool *pool, DisruptionReason reason, uint32_t total, int64_t at_ns) {
    uint32_t least = UINT32_MAX;

    for (vec_each(const PoolBudget, budget, &pool->disruption.budgets)) {
        uint32_t nodes = nodes_of(budget, total);

        if (budget->fault.len)
            return 0;
        if ((budget->reasons >> reason & 1) && is_active(budget, at_ns) && nodes < least)
            least = nodes;
    }
    return least;
}

// --- what is under way

// Whether tenon must know that the node is disrupted already: by its own command, or for more than a minute.
static bool is_taken(Audit *audit, const NodeClaim *claim, const Node *node, DisruptionReason reason) {
    const AuditClaim *known = audit_claim(audit, claim);
    const Condition *ready = condition_get(&node->conditions, world_symbols(audit->world), SLICE("Ready"));

    if (known->candidate_of && (known->lost_ns || audit_command_lives(audit, known->candidate_of)))
        return true;
    if (claim->meta.deleting)
        return audit_is_old(audit, known->lost_ns);
    return reason != DISRUPTION_UNHEALTHY && ready && !node_is_ready(node, world_symbols(audit->world)) &&
           audit_is_old(audit, ready->transition_ns);
}

typedef struct {
    uint32_t total, taken;
} PoolNodes;

static PoolNodes count_nodes(Audit *audit, Symbol pool, DisruptionReason reason) {
    const State *state = world_state(audit->world);
    PoolNodes nodes = {0};

    for (vec_each(const Handle, handle, state_claims_of_pool(state, pool))) {
        const NodeClaim *claim = state_node_claim(state, *handle);
        const Node *node = state_node(state, state_node_of_claim(state, *handle));

        if (!node || labels_get(&node->meta.labels, NAME_INITIALIZED) == INDEX_NONE ||
            audit_claim_is(audit, claim, "InstanceTerminating"))
            continue;
        nodes.total++;
        nodes.taken += is_taken(audit, claim, node, reason);
    }
    return nodes;
}

// --- the rule

// The decision is some seconds old: what was allowed a minute ago counts, too.
void audit_check_budget(Audit *audit, const NodeClaim *claim, DisruptionReason reason) {
    const State *state = world_state(audit->world);
    const Symbols *symbols = world_symbols(audit->world);
    Symbol name = labels_get(&claim->meta.labels, NAME_NODEPOOL);
    const NodePool *pool =
        name == INDEX_NONE ? NULL : state_node_pool(state, state_find(state, KUBE_NODE_POOL, SYMBOL_EMPTY, name));
    int64_t now = world_now_ns(audit->world);
    uint32_t allowed, before;
    PoolNodes nodes;

    if (!pool || !audit_is_old(audit, audit_pool_changed_ns(audit, name)))
        return; // the budgets may be newer than the decision
    nodes = count_nodes(audit, name, reason);
    allowed = audit_budget_allows(pool, reason, nodes.total, now);
    before = audit_budget_allows(pool, reason, nodes.total, now - NS_PER_MIN);
    if (nodes.taken > (allowed > before ? allowed : before))
        audit_violate(audit, AUDIT_BUDGET,
                      "%u of the %u nodes of NodePool %.*s are disrupted, its budgets allow %u (%s)", nodes.taken,
                      nodes.total, SLICE_ARG(symbol_text(symbols, name)), allowed, disruption_reason_words[reason]);
}
