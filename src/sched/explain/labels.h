// What the labels of a pool have against a class: those that its pods ask for, and those that its volumes are tied to.
#pragma once

#include "sched/explain/explanation.h"

void explain_pod_requirements(Explanation *e);
bool explain_requirements(Explanation *e);
bool explain_volumes(Explanation *e);
