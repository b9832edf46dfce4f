// What launches asked for, remembered for those that ask the same.
#pragma once

#include "sim/cloud/cloud_parts.h"
#include "sim/cloud/launch_parts.h"

void cloud_forget_asked(SimView *view);

// The same, or what it was when the last of the same content was asked with the same types.
void cloud_ask_once(SimLaunch *launch);
