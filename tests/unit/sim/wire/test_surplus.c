// The audit's rule about instances that no NodeClaim ever named.
#include "sim/audit/audit.h"
#include "sim/support/wire_bed.h"

TEST(an_instance_that_nobody_wanted_is_noticed) {
    WireBed *bed = wire_bed_new((SimCloudConfig){0}, (SimAwsFaults){0});
    Audit *audit = audit_new(bed->world, bed->cloud);
    Ec2CreateFleetInput input;
    Ec2CreateFleetOutput output;

    audit_end(audit);
    assert_int_equal(audit_violation_count(audit), 0);
    wire_bed_template(bed, "t", "");
    input = wire_bed_fleet(bed, "t", "token", 2);
    assert_int_equal(aws_call(wire_bed_client(bed), &bed->arena, &ec2_create_fleet, &input, NULL, &output, NULL, NULL),
                     OK);
    audit_end(audit);
    assert_int_equal(audit_violation_count(audit), 2);
    assert_int_equal(audit_violations(audit)->items[0].rule, AUDIT_ONE_INSTANCE);
    wire_bed_free(bed);
}
