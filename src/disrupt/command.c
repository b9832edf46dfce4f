// Methods and their reasons.
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
