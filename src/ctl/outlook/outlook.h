// What disruption expects of nodes, from its look to the State, where the controllers of this folder find it.
#pragma once

#include "ctl/ctl.h"

// Takes in what a look for commands says of the nodes that stay, and has the controllers of this folder look. Nodes in
// a command keep what was expected of them: the command decides now. O(nodes).
void outlook_take(Turn *turn, const Disrupted *disrupted);
