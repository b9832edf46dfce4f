#include "sim/support/violations.h"

uint32_t violations_of(const Audit *audit, AuditRule rule) {
    uint32_t count = 0;

    for (vec_each(const Violation, violation, audit_violations(audit))) {
        if (violation->rule != rule)
            fail_msg("in a history of %s: %s: %.*s", audit_rule_name(rule), audit_rule_name(violation->rule),
                     SLICE_ARG(violation->text));
        count++;
    }
    assert_int_equal(count, audit_violation_count(audit));
    return count;
}
