// Rules about changes of the cluster.
#pragma once

#include "sim/audit/audit_parts.h"

// Checks a change of the mirror (audit_change.c).
void audit_observe(void *self, const StateChange *change);
