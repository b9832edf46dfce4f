// The clocks of a turn, and what is said when this machine's clock is wrong.
#pragma once

#include "engine/engine_parts.h"

// Reads the clocks for a turn, and says when the own one is another than the API server's.
void engine_read_clocks(Engine *engine);
