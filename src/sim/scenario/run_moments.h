// Moments at which a run is looked at.
#pragma once

#include "sim/scenario/run_parts.h"

void run_plan_moments(Run *run);
