// Methods and their reasons.
#include "disrupt/command.h"

DisruptionReason disrupt_method_reason(DisruptMethod method) {
    static const DisruptionReason reasons[DISRUPT_METHOD_COUNT] = {
        [METHOD_EMPTINESS] = DISRUPTION_EMPTY,
        [METHOD_REPAIR] = DISRUPTION_UNHEALTHY,
        [METHOD_STATIC_DRIFT] = DISRUPTION_DRIFTED,
        [METHOD_DRIFT] = DISRUPTION_DRIFTED,
        [METHOD_CONSOLIDATION] = DISRUPTION_UNDERUTILIZED,
    };

    return reasons[method];
}
