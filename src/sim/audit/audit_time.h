// Rules about delays, and those that the end of a run decides.
#pragma once

#include "sim/audit/audit_parts.h"

// Checks that a bill is the sum of what that many instances cost (audit_time.c).
void audit_balance(Audit *audit, const SimBill *bill, int64_t instances_nano_dollars, uint32_t instances);

// Checks rules about delays, and sets an alarm to do so again in a minute (audit_time.c).
void audit_look_every_minute(void *audit);
