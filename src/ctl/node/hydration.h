// node.hydration: puts the label that names the NodeClass on Nodes that lack it: those that older versions registered.
// Behaviour: reference lifecycle.md 0.1, 1.
#pragma once

#include "ctl/ctl.h"

// Key: name of a Node.
extern const Controller node_hydration_controller;
