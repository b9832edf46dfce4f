// The interruption queue, and what sends events to it.
#pragma once

#include "cli/doctor/live_aws_reading.h"

// The queue that the options or the cluster name, and, where it is there, the rules of EventBridge whose target it is.
// Nothing where none is named.
void live_read_queue(const AwsReading *aws);
