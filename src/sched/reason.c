// Names of checks.
#include "sched/reason.h"

const char *check_text(Check check) {
    static const char *const texts[] = {
        [CHECK_NONE] = "none",
        [CHECK_POOL] = "pool",
        [CHECK_LIMIT_NODES] = "limits.nodes",
        [CHECK_LIMITS] = "limits",
        [CHECK_TAINTS] = "taints",
        [CHECK_REQUIREMENTS] = "requirements",
        [CHECK_VOLUMES] = "volumes",
        [CHECK_TOPOLOGY] = "topology",
        [CHECK_MIN_VALUES] = "minValues",
        [CHECK_HOST_PORTS] = "hostPorts",
        [CHECK_VOLUME_LIMITS] = "volumeLimits",
        [CHECK_RESERVED] = "reserved",
        [CHECK_TYPES] = "instanceTypes",
    };

    return texts[check];
}
