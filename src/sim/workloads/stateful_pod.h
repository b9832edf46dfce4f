// The pods of a StatefulSet.
#pragma once

#include "sim/workloads/stateful_set.h"

// The pod of that ordinal with its volume claims, which are made first.
void stateful_set_create_pod(SimWorkload *set, int64_t ordinal);
