#include "cloud/aws/repair_table.h"

#define FALLS_OUT(condition_)                                                                                          \
    { .condition = (condition_), .status = "False", .toleration_ns = 30 * NS_PER_MIN, .bound_ns = 10 * NS_PER_MIN }

#define XID(numbers, action_)                                                                                          \
    {                                                                                                                  \
        .condition = "AcceleratedHardwareReady", .status = "False", .reason = ".*XID(" numbers ").*",                  \
        .toleration_ns = 10 * NS_PER_MIN, .bound_ns = 5 * NS_PER_MIN, .action = (action_)                              \
    }

RepairPolicies aws_repair_policies(void) {
    static const RepairPolicy policies[] = {
        FALLS_OUT("Ready"),
        {.condition = "Ready", .status = "Unknown", .toleration_ns = 30 * NS_PER_MIN, .bound_ns = 10 * NS_PER_MIN},
        XID("46|48|54|62|63|95|109|110|136|140|143|155|156|158", REPAIR_REBOOT),
        XID("64|74|79|119|120", REPAIR_REPLACE),
        FALLS_OUT("AcceleratedHardwareReady"),
        FALLS_OUT("StorageReady"),
        FALLS_OUT("NetworkingReady"),
        FALLS_OUT("KernelReady"),
        FALLS_OUT("ContainerRuntimeReady"),
    };

    return (RepairPolicies){policies, sizeof policies / sizeof *policies};
}
