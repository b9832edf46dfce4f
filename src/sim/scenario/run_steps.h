// Steps of a scenario.
#pragma once

#include "sim/scenario/run_parts.h"

// Sets the alarms of all steps.
void run_plan_steps(Run *run);
