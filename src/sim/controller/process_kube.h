// The process's Kube: counts calls and lets some fail, then passes them to the audit and the API server.
#pragma once

#include "sim/controller/process_parts.h"

Kube process_kube(SimProcess *process);

// Ends all watches of this life.
void process_end_watches(SimProcess *process);
