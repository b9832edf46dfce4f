// The status of a NodeClass, from what the cloud found out about it. Reference aws.md 1.2, 1.3; lifecycle.md 0.3.
#pragma once

#include "ctl/common/class_facts.h"

// Intends to write status members and conditions of the class, in one patch, if they differ from what it has. Ready is
// the conjunction of the conditions. Returns whether there is something to write; the patch has `tag`. O(size).
bool class_status_write(Turn *turn, const ClassFacts *class, const CloudClass *found, uint64_t tag);
