// The pods of a StatefulSet.
#pragma once

#include "sim/workloads/stateful_set.h"

// Creates the pod of that ordinal, after its volume claims.
void stateful_set_create_pod(SimWorkload *set, int64_t ordinal);
