// Nodes that an earlier process left waiting.
#pragma once

#include "cloud/kwok/provider/parts.h"

// Lets the Nodes join that an earlier process left waiting. O(claims).
ErrCode kwok_resume(KwokProvider *provider, KubeError *error);
