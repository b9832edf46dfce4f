// Delayed Nodes that an earlier process left waiting.
#pragma once

#include "cloud/kwok/provider/parts.h"

// Schedules the creation of these Nodes. O(claims).
ErrCode kwok_resume(KwokProvider *provider, KubeError *error);
