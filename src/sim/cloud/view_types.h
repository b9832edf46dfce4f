// Instance types of a view.
#pragma once

#include "sim/cloud/cloud_parts.h"

// The types of a class with what is known now.
const InstanceTypeVec *cloud_view_types(SimView *view, ViewClass *class);
void cloud_view_class_retire(SimView *view, ViewClass *class); // its types are given out no more
