// Violations that an audit has reported.
#pragma once

#include "harness/test.h"
#include "sim/audit/audit.h"

// The number of violations of the rule; the test fails if another one is violated, too.
uint32_t violations_of(const Audit *audit, AuditRule rule);
