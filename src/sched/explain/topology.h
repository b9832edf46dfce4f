// What spreads and affinities have against a class.
#pragma once

#include "sched/explain/explanation.h"

bool explain_topology(Explanation *e);

// Each rule by itself leaves a domain and some type would do: the rules exclude each other.
bool explain_rules(Explanation *e);
