// The process's table of the cloud: cut off from the network, it cannot reach the cloud either.
#pragma once

#include "sim/controller/process_parts.h"

Cloud process_cloud(SimProcess *process);
