// The resources and CSI drivers that a solve counts.
#pragma once

#include "sched/input/pod_class.h"

// Fills table->dimensions with the resources that planned pods request, daemons request or pools limit, sorted by name,
// then the drivers of volumes. The requests of daemons and the volumes of pods must be known. O(pods + daemons), and
// where anything but CPU, memory, pods and ephemeral storage is requested, O(types × resources + nodes) more.
void dimensions_make(ClassTable *table);
