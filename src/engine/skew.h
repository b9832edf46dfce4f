// Clocks of a turn, and the log line about a wrong clock of this machine.
#pragma once

#include "engine/engine_parts.h"

// Reads the clocks for a turn, and logs when this machine's wall clock differs from the API server's.
void engine_read_clocks(Engine *engine);
