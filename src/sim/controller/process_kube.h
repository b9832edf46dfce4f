// The process's table of Kubernetes: calls fail and are counted here, then reach the audit and the API server.
#pragma once

#include "sim/controller/process_parts.h"

Kube process_kube(SimProcess *process);

// All watches of this life end.
void process_end_watches(SimProcess *process);
