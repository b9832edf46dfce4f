// Checks of topology spread, pod affinity and anti-affinity.
#pragma once

#include "sched/explain/explanation.h"

bool explain_topology(Explanation *e);

// For a class that passes all other checks: each rule by itself leaves a domain, but together they leave none.
bool explain_rules(Explanation *e);
