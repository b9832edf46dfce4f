// The process's Cloud: calls time out while it is partitioned.
#pragma once

#include "sim/controller/process_parts.h"

Cloud process_cloud(SimProcess *process);
