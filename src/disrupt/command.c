// Methods and their reasons; what is remembered of replacements.
#include "disrupt/command.h"

#include "base/check.h"

DisruptionReason disrupt_method_reason(DisruptMethod method) {
    static const DisruptionReason reasons[DISRUPT_METHOD_COUNT] = {
        [METHOD_EMPTINESS] = DISRUPTION_EMPTY,
        [METHOD_REPAIR] = DISRUPTION_UNHEALTHY,
        [METHOD_STATIC_DRIFT] = DISRUPTION_DRIFTED,
        [METHOD_DRIFT] = DISRUPTION_DRIFTED,
        [METHOD_CONSOLIDATION] = DISRUPTION_UNDERUTILIZED,
    };

    CHECK(method != METHOD_EXPIRATION, "expiration has no reason of budgets");
    return reasons[method];
}

const char *disrupt_method_word(DisruptMethod method) {
    return method == METHOD_EXPIRATION ? "Expired" : disruption_reason_words[disrupt_method_reason(method)];
}

static bool leaves_no_choice(const Requirement *requirement) {
    return !requirement->complement && requirement->values.count == 1 && requirement->key != NAME_INSTANCE_TYPE;
}

ProposedClaim proposed_claim_make(Arena *arena, const PlannedClaim *claim) {
    ProposedClaim proposed = {.pool = claim->pool->meta.name};

    for (vec_each(const InstanceType *, type, &claim->types))
        vec_push(arena, &proposed.types, (*type)->name);
    for (uint32_t i = 0; i < claim->requirements.count; i++) {
        const Requirement *requirement = &claim->requirements.items[i];

        if (leaves_no_choice(requirement))
            labels_set(arena, &proposed.labels, requirement->key, requirement->values.items[0]);
    }
    return proposed;
}
