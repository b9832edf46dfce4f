// What commands leave behind.
#pragma once

#include "sim/audit/audit_parts.h"

// Checks that no record, taint or condition of disruption stays for long without a command. O(NodeClaims).
void audit_check_left(Audit *audit);
