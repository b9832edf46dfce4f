// Allocation and release of a controller's memory, as its Controller describes it. For what runs controllers: the
// engine and the test benches.
#pragma once

#include "ctl/ctl.h"

// The memory that the controller's functions get as `self`; NULL when it has none.
void *controller_new(const Controller *controller, const Settings *settings);
void controller_free(const Controller *controller, void *self);
