// Making and freeing the memory of a controller, by what its Controller says of it. For who runs controllers: the
// engine and the stages of tests.
#pragma once

#include "ctl/ctl.h"

// What the functions of the controller get as `self`; NULL where it has no memory.
void *controller_new(const Controller *controller, const Settings *settings);
void controller_free(const Controller *controller, void *self);
