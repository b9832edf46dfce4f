// Rules about changes of the mirror.
#pragma once

#include "sim/audit/audit_parts.h"

// A change of the mirror (audit_change.c).
void audit_observe(void *self, const StateChange *change);
