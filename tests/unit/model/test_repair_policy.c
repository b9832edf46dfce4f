// Repair policies of clouds. Reference changes.md 1.4, 1.9.
#include "harness/test.h"
#include "model/repair_policy.h"

static const char *fault_of(const RepairPolicy *policies, uint32_t count) {
    const char *fault = repair_policies_fault(&(RepairPolicies){policies, count});

    return fault ? fault : "";
}

TEST(a_reason_is_searched_for) {
    assert_true(repair_reason_matches("XID(46|48)", SLICE("NvidiaXID48Error")));
    assert_false(repair_reason_matches("XID(46|48)", SLICE("NvidiaXID49Error")));
    assert_true(repair_reason_matches("^$", SLICE("")));
    assert_false(repair_reason_matches("(", SLICE("(")));
}

TEST(a_set_that_makes_no_sense_is_told_why) {
    assert_string_equal(fault_of(NULL, 0), "");
    assert_string_equal(fault_of(&(RepairPolicy){.status = "False"}, 1), "a policy names no condition");
    assert_string_equal(fault_of(&(RepairPolicy){.condition = "Ready", .status = "false"}, 1),
                        "a status is none of True, False and Unknown");
    assert_string_equal(fault_of(&(RepairPolicy){.condition = "Ready", .status = "False", .toleration_ns = -1}, 1),
                        "a duration is negative");
    assert_string_equal(fault_of(&(RepairPolicy){.condition = "Ready", .status = "False", .priority = 101}, 1),
                        "a priority is above 100");
    assert_string_equal(fault_of(&(RepairPolicy){.condition = "Ready", .status = "False", .reason = "("}, 1),
                        "a reason is no regular expression");
    assert_string_equal(fault_of(&(RepairPolicy){.condition = "Ready", .status = "False", .action = REPAIR_REBOOT}, 1),
                        "a policy for all other reasons does not replace the node");
    assert_string_equal(fault_of((RepairPolicy[]){{.condition = "Ready", .status = "False"},
                                                  {.condition = "Ready", .status = "Unknown"},
                                                  {.condition = "Ready", .status = "False"}},
                                 3),
                        "two policies are for all other reasons of one condition");
}
