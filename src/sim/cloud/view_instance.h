// Instances in the symbols of a view.
#pragma once

#include "sim/cloud/cloud_parts.h"

const CloudInstance *cloud_view_instance(SimView *view, uint32_t number);
