// Families of instance types in a request for spot instances: EC2 can choose among more pools where there are several
// (issue 15, point 7).
#pragma once

#include "cloud/aws/launch/launch_types.h"

enum { LAUNCH_FAMILIES_MIN = 3 };

// The first `most` of types that are sorted by price, in place. Where they are of fewer than LAUNCH_FAMILIES_MIN
// families and dearer types have others, the cheapest of those take the places of the dearest that are not alone in
// their families. O(types).
void launch_keep_families(const Symbols *symbols, InstanceTypeVec *types, uint32_t most);
