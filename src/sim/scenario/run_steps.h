// The steps of a scenario, at their times.
#pragma once

#include "sim/scenario/run_parts.h"

// Sets the alarms of all steps.
void run_plan_steps(Run *run);
