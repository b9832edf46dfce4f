// Conditions of a Node beside the policies.
#include "disrupt/repair/sickness.h"

static bool is_about(const RepairPolicy *policy, const Condition *condition, const Symbols *symbols) {
    return slice_eq_text(symbol_text(symbols, condition->type), policy->condition) &&
           slice_eq_text(symbol_text(symbols, condition->status), policy->status);
}

static bool names_reason(const RepairPolicy *policy, const Condition *condition, const Symbols *symbols) {
    return policy->reason && repair_reason_matches(policy->reason, symbol_text(symbols, condition->reason));
}

// Whether a policy names the reason of the condition; if so those without a reason do not apply to it.
static bool is_named(const RepairPolicies *policies, const Condition *condition, const Symbols *symbols) {
    for (uint32_t i = 0; i < policies->count; i++) {
        if (is_about(&policies->items[i], condition, symbols) && names_reason(&policies->items[i], condition, symbols))
            return true;
    }
    return false;
}

static bool decides(const RepairPolicy *policy, int64_t since_ns, const Sickness *sickness) {
    const RepairPolicy *other = sickness->policy;

    if (!other)
        return true;
    if (policy->action != other->action)
        return policy->action == REPAIR_REPLACE;
    if (policy->priority != other->priority)
        return policy->priority > other->priority;
    if (since_ns != sickness->since_ns)
        return since_ns < sickness->since_ns;
    return strcmp(policy->condition, other->condition) < 0;
}

static void apply(const RepairPolicy *policy, int64_t since_ns, int64_t now_ns, Sickness *sickness) {
    if (since_ns > now_ns) {
        if (since_ns < sickness->awaits_ns)
            sickness->awaits_ns = since_ns;
        return;
    }
    if (policy->bound_ns < sickness->bound_ns)
        sickness->bound_ns = policy->bound_ns;
    if (!decides(policy, since_ns, sickness))
        return;
    sickness->policy = policy;
    sickness->since_ns = since_ns;
}

Sickness sickness_of(const Node *node, const RepairPolicies *policies, const Symbols *symbols, int64_t now_ns) {
    Sickness sickness = {.awaits_ns = INT64_MAX, .bound_ns = REPAIR_NO_BOUND};

    for (vec_each(const Condition, condition, &node->conditions)) {
        int64_t from_ns = condition->transition_ns;
        bool named = is_named(policies, condition, symbols);

        if (from_ns < node->meta.created_ns)
            from_ns = node->meta.created_ns;
        for (uint32_t i = 0; i < policies->count; i++) {
            const RepairPolicy *policy = &policies->items[i];

            if (!is_about(policy, condition, symbols))
                continue;
            sickness.is_watched = true;
            if (policy->reason ? names_reason(policy, condition, symbols) : !named)
                apply(policy, ns_add(from_ns, policy->toleration_ns), now_ns, &sickness);
        }
    }
    return sickness;
}

Sickness sickness_in(const DisruptFacts *facts, uint32_t node) {
    const NodeView *view = &facts->nodes.items[node];

    for (uint32_t i = 0; facts->repair_policies && view->node && i < facts->pools.count; i++) {
        if (facts->pools.items[i].pool->meta.name == view->pool)
            return sickness_of(view->node, &facts->repair_policies[i], &facts->cluster->symbols, facts->wall_ns);
    }
    return (Sickness){.awaits_ns = INT64_MAX, .bound_ns = REPAIR_NO_BOUND};
}
