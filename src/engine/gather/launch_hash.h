// What launches of NodeClaims have to be alike in to be asked for together.
#pragma once

#include "cloud/cloud.h"

// A hash of what EC2 would be asked for, as far as it can be seen here: NodeClass, labels (and so the NodePool) but for
// the host's name, requirements, taints. The provider asks for unlike ones apart in any case, so a hash that two of
// them share costs nothing. By symbols: of this process alone. O(requirements and their values + labels + taints).
uint64_t launch_hash(const CloudLaunch *launch);
