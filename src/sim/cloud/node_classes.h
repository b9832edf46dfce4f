// NodeClasses as the cloud sees them.
#pragma once

#include "sim/cloud/cloud_parts.h"

void cloud_classes_observe(SimCloud *cloud, const StateChange *change);
ClassEntry *cloud_classes_find(SimCloud *cloud, KubeKind kind, Symbol name); // NULL: none, or gone

// Writes statuses that are wanted; without the lock, on the world's thread. Whether there were any.
bool cloud_classes_write_status(SimCloud *cloud);
