// Violations that an audit has reported.
#pragma once

#include "harness/test.h"
#include "sim/audit/audit.h"

// The number of violations of the rule; the test fails if another one is violated, too.
uint32_t violations_of(const Audit *audit, AuditRule rule);

// The violations of a rule in its history: in the one that breaks it, or in the one that does not.
typedef uint32_t CountViolations(AuditRule rule, bool is_broken);

// Each rule from `first` until before `end` complains once where it is broken; none does where it is not.
void assert_rules_see_what_is_wrong(AuditRule first, AuditRule end, CountViolations *count);
void assert_rules_pass_what_is_right(AuditRule first, AuditRule end, CountViolations *count);
