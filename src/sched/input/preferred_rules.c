// Collecting and sorting preferred rules.
#include "sched/input/preferred_rules.h"

static void add(Arena *arena, PreferredRuleVec *rules, PreferredKind kind, uint32_t index, int32_t weight) {
    uint32_t at = rules->count;

    vec_push(arena, rules, (PreferredRule){kind, index, weight});
    for (; at > 0 && rules->items[at - 1].weight < weight; at--)
        rules->items[at] = rules->items[at - 1];
    rules->items[at] = (PreferredRule){kind, index, weight};
}

// Whether the pod tolerates every PreferNoSchedule taint.
static bool tolerates_all(const TolerationVec *tolerations) {
    for (vec_each(const Toleration, toleration, tolerations)) {
        if (toleration->op == TOLERATION_EXISTS && toleration->key == NAME_EMPTY &&
            (toleration->effect == EFFECT_NONE || toleration->effect == EFFECT_PREFER_NO_SCHEDULE))
            return true;
    }
    return false;
}

PreferredRuleVec preferred_rules(Arena *arena, const PodSpec *spec, const TopologySpreadVec *spreads,
                                 bool soft_taints) {
    PreferredRuleVec rules = {0};

    for (uint32_t i = 0; i < spec->preferred_node_terms.count; i++)
        add(arena, &rules, RULE_NODE_AFFINITY, i, spec->preferred_node_terms.items[i].weight);
    for (uint32_t i = 0; i < spec->affinity.preferred.count; i++)
        add(arena, &rules, RULE_POD_AFFINITY, i, spec->affinity.preferred.items[i].weight);
    for (uint32_t i = 0; i < spec->anti_affinity.preferred.count; i++)
        add(arena, &rules, RULE_POD_ANTI_AFFINITY, i, spec->anti_affinity.preferred.items[i].weight);
    for (uint32_t i = 0; i < spreads->count; i++) {
        if (spreads->items[i].schedule_anyway)
            add(arena, &rules, RULE_SPREAD, i, RULE_WEIGHT_DEFAULT);
    }
    if (soft_taints && !tolerates_all(&spec->tolerations))
        add(arena, &rules, RULE_TAINTS, 0, RULE_WEIGHT_DEFAULT);
    return rules;
}

double preferred_rules_worth(const PreferredRuleVec *rules, uint32_t bits) {
    enum { WORTH_MOST = 99 };
    int32_t percent = 0;

    for (uint32_t i = 0; i < rules->count; i++) {
        if (bits & preferred_rule_bit(i))
            percent += rules->items[i].weight < WORTH_MOST ? rules->items[i].weight : WORTH_MOST;
    }
    return percent / 100.0;
}
