// Checks of labels: requirements of the pods and of their volumes that a pool cannot meet.
#pragma once

#include "sched/explain/explanation.h"

void explain_pod_requirements(Explanation *e);
bool explain_requirements(Explanation *e);
bool explain_volumes(Explanation *e);
