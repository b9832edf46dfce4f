// The step `apply`.
#pragma once

#include "sim/scenario/run_parts.h"

void run_apply(Run *run, const ScenarioStep *step);
