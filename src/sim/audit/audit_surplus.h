// The rule that a claim gets one instance, where the cloud is not told for which claims it launches: AWS's fleets.
#pragma once

#include "sim/audit/audit_parts.h"

// Notes which instances claims name, and which claims go without ever having named one.
void audit_note_claim(Audit *audit, const NodeClaim *before, const NodeClaim *after);

// A NodePool may have had as many instances that no claim ever named as claims that went without an instance.
// O(instances).
void audit_check_surplus(Audit *audit);
