// The cloud's copies of NodeClasses.
#pragma once

#include "sim/cloud/cloud_parts.h"

void cloud_classes_observe(SimCloud *cloud, const StateChange *change);
ClassEntry *cloud_classes_find(SimCloud *cloud, KubeKind kind, Symbol name); // NULL: none, or being deleted

// Writes the statuses that are due; called without the lock, on the world's thread. Returns whether there were any.
bool cloud_classes_write_status(SimCloud *cloud);
