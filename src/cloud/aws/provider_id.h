// Provider ids of EC2's instances: "aws:///us-east-1a/i-0a".
#pragma once

#include "base/slice.h"

// The instance's id, "i-0a"; empty: it is no provider id of that form. O(length).
Slice provider_instance_id(Slice provider_id);
