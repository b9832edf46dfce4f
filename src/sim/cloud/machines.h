// Life cycle of instances.
#pragma once

#include "sim/cloud/cloud_parts.h"

// Makes an instance in a pool; returns its number. `shown` has the names, labels and resources; the rest is filled in.
uint32_t cloud_machine_launch(SimCloud *cloud, uint32_t pool, const SimInstance *shown);
void cloud_machine_run(SimCloud *cloud, uint32_t number);
void cloud_machine_end(SimCloud *cloud, uint32_t number);    // starts shutting down
void cloud_machine_remove(SimCloud *cloud, uint32_t number); // is terminated
void cloud_machine_stop(SimCloud *cloud, uint32_t number);
void cloud_machine_interrupt(SimCloud *cloud, uint32_t number);
void cloud_machine_taken(SimCloud *cloud, uint32_t number);
void cloud_machine_note(SimCloud *cloud, uint32_t number,
                        SimInstanceState before);    // records a change for the listeners
bool cloud_machine_is_up(const SimMachine *machine); // pending or running
SimInstanceState cloud_machine_described(const SimCloud *cloud, const SimMachine *machine);
bool cloud_machine_is_listed(const SimCloud *cloud, const SimMachine *machine);

// New instances have another image from now on.
void cloud_new_image(SimCloud *cloud);
