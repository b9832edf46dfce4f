// What AWS lists, and which of its actions are allowed.
#pragma once

#include "cli/doctor/live_reading.h"

// Nothing where the cluster has no classes of AWS's. What AWS denies, or that it cannot be asked, is a fact.
void live_read_aws(const LiveReading *reading);
