// Costs of instances.
#pragma once

#include "sim/cloud/cloud_parts.h"

void cloud_bill_start(SimCloud *cloud, SimMachine *machine);
void cloud_bill_stop(SimCloud *cloud, SimMachine *machine);
