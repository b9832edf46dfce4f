#include "cloud/kwok/repair_table.h"

#define TOLERATED(condition_, status_)                                                                                 \
    { .condition = (condition_), .status = (status_), .toleration_ns = 10 * NS_PER_MIN, .bound_ns = REPAIR_NO_BOUND }

RepairPolicies kwok_repair_policies(void) {
    static const RepairPolicy policies[] = {
        TOLERATED("Ready", "False"),
        TOLERATED("Ready", "Unknown"),
        TOLERATED("KWOKUnhealthy", "True"),
        {.condition = "KWOKUnhealthy", .status = "True", .reason = "^E2ERepair$", .bound_ns = 30 * NS_PER_S},
        {.condition = "KWOKRebootRequired",
         .status = "True",
         .reason = "^E2EReboot$",
         .bound_ns = 30 * NS_PER_S,
         .action = REPAIR_REBOOT},
        {.condition = "KWOKRebootRequired",
         .status = "True",
         .reason = ".*", // what is for all other reasons replaces (model/repair_policy.h)
         .toleration_ns = 10 * NS_PER_MIN,
         .bound_ns = REPAIR_NO_BOUND,
         .action = REPAIR_REBOOT},
    };

    return (RepairPolicies){policies, sizeof policies / sizeof *policies};
}
