// The words of spec.disruption.
#include "model/pool_disruption.h"

const char *const disruption_reason_words[DISRUPTION_REASON_COUNT] = {
    [DISRUPTION_UNDERUTILIZED] = "Underutilized",
    [DISRUPTION_EMPTY] = "Empty",
    [DISRUPTION_DRIFTED] = "Drifted",
    [DISRUPTION_UNHEALTHY] = "Unhealthy",
};

const char *const consolidation_policy_words[CONSOLIDATION_POLICY_COUNT] = {
    [CONSOLIDATE_WHEN_EMPTY] = "WhenEmpty",
    [CONSOLIDATE_WHEN_EMPTY_OR_UNDERUTILIZED] = "WhenEmptyOrUnderutilized",
    [CONSOLIDATE_BALANCED] = "Balanced",
};
