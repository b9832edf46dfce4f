// The table of rights (cli/run/rights.h), asked of the API server.
#pragma once

#include "cli/doctor/live_reading.h"

// A review for each verb, resource and name; rights on kinds that are not served are not asked. A review that is not
// answered is noted, and ends the asking.
void live_read_rights(const LiveReading *reading);
