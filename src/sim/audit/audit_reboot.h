// Reboots of sick nodes (reference changes.md 2).
#pragma once

#include "sim/audit/audit_parts.h"

// Checks a call that reboots an instance: its NodeClaim says so, its Node is fenced, and it is one of two operations a
// day at most. EC2 knows no operations, so the call may be repeated. O(calls for that instance).
void audit_reboot(Audit *audit, Symbol provider_id, Slice operation);
