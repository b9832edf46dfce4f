// The expectations of a scenario.
#pragma once

#include "sim/scenario/run_parts.h"

void run_expect(Run *run, const ScenarioStep *step);
void run_look_at_expectations(Run *run);
