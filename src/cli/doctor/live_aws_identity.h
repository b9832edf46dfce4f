// Who nodes are to AWS: instance profiles, roles and their policies.
#pragma once

#include "cli/doctor/live_aws_reading.h"

// The instance profiles that classes and karpenter-global-settings name, and the roles of both, each once: a call for
// each. The classes have been read.
void live_read_identity(const AwsReading *aws);
