// The moments of a run.
#pragma once

#include "sim/scenario/run_parts.h"

void run_plan_moments(Run *run);
