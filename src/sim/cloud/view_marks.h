// A view's memory of unavailable offerings.
#pragma once

#include "sim/cloud/cloud_parts.h"

void cloud_view_mark_unavailable(SimView *view, uint32_t pool);
bool cloud_view_is_marked(const SimView *view, uint32_t pool);
