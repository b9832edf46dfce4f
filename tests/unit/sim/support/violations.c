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

void assert_rules_see_what_is_wrong(AuditRule first, AuditRule end, CountViolations *count) {
    for (AuditRule rule = first; rule < end; rule++) {
        if (count(rule, true) != 1)
            fail_msg("%s is not noticed once", audit_rule_name(rule));
    }
}

void assert_rules_pass_what_is_right(AuditRule first, AuditRule end, CountViolations *count) {
    for (AuditRule rule = first; rule < end; rule++) {
        if (count(rule, false) != 0)
            fail_msg("%s is not broken", audit_rule_name(rule));
    }
}
