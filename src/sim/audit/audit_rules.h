// Violations of rules.
#pragma once

#include "sim/audit/audit_parts.h"

__attribute__((format(printf, 3, 4))) void audit_violate(Audit *audit, AuditRule rule, const char *format, ...);
