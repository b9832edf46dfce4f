// The repair policies of EC2 and KWOK. Reference changes.md 1.9, lifecycle.md 8.
#include "cloud/aws/repair_table.h"
#include "cloud/kwok/repair_table.h"
#include "harness/test.h"

TEST(the_tables_make_sense) {
    RepairPolicies aws = aws_repair_policies(), kwok = kwok_repair_policies();

    assert_true(aws.count && kwok.count);
    assert_null(repair_policies_fault(&aws));
    assert_null(repair_policies_fault(&kwok));
}
