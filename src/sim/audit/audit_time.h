// What only shows with time, and at the end.
#pragma once

#include "sim/audit/audit_parts.h"

// Whether a bill is the sum of what so many instances cost (audit_time.c).
void audit_balance(Audit *audit, const SimBill *bill, int64_t instances_nano_dollars, uint32_t instances);

// What only shows with time: sets an alarm each minute (audit_time.c).
void audit_look_every_minute(void *audit);
