// Instance types of a view.
#pragma once

#include "sim/cloud/cloud_parts.h"

// The instance types of a class, with present prices and availability.
const InstanceTypeVec *cloud_view_types(SimView *view, ViewClass *class);
void cloud_view_class_retire(SimView *view, ViewClass *class); // frees its types, after a while
