// The lives of instances.
#pragma once

#include "sim/cloud/cloud_parts.h"

// A new machine for a pool. `shown` has the names, labels and resources; the rest is filled in. Its number.
uint32_t cloud_machine_launch(SimCloud *cloud, uint32_t pool, const SimInstance *shown);
void cloud_machine_run(SimCloud *cloud, uint32_t number);
void cloud_machine_end(SimCloud *cloud, uint32_t number);    // begins to shut down
void cloud_machine_remove(SimCloud *cloud, uint32_t number); // is gone
void cloud_machine_stop(SimCloud *cloud, uint32_t number);
void cloud_machine_interrupt(SimCloud *cloud, uint32_t number);
void cloud_machine_taken(SimCloud *cloud, uint32_t number);
void cloud_machine_note(SimCloud *cloud, uint32_t number, SimInstanceState before); // for listeners
bool cloud_machine_is_up(const SimMachine *machine);                                // pending or running
SimInstanceState cloud_machine_described(const SimCloud *cloud, const SimMachine *machine);
bool cloud_machine_is_listed(const SimCloud *cloud, const SimMachine *machine);

// Instances have another image from now on.
void cloud_new_image(SimCloud *cloud);
