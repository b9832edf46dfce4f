// node.hydration: Nodes that older versions registered get the label of their NodeClass. Reference lifecycle.md 0.1, 1.
#pragma once

#include "ctl/ctl.h"

// Key: a Node.
extern const Controller node_hydration_controller;
