// What the preferences and rules of each class become.
#pragma once

#include "sched/input/pod_class.h"

// Makes variants, groups and incidence. Label classes and inverse groups of bound pods must exist by then.
void class_table_finish(ClassTable *table);
