// disruption: removes nodes that are empty, drifted, or not worth their price. Behaviour: reference lifecycle.md 4.
//
// One look at the whole cluster finds commands (src/disrupt). A command of emptiness or consolidation is left alone for
// 15 s and must then be found again; then its nodes are tainted, its replacements created, and, when all of these are
// ready, its NodeClaims deleted. Structure, crash safety, and differences from Karpenter:
// docs/design/ctl-disruption.md.
#pragma once

#include "ctl/ctl.h"

extern const Controller disruption_controller;
