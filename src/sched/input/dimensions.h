// Which resources and drivers of volumes a solve counts.
#pragma once

#include "sched/input/pod_class.h"

// Fills table->dimensions: what pods that are planned ask for, what daemons take, what pools limit; by text, drivers
// last. The requests of daemons and the volumes of pods must be known. O(pods + daemons), and where somebody asks for
// more than CPU, memory, pods and ephemeral storage, O(types × resources + nodes).
void dimensions_make(ClassTable *table);
