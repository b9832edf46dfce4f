// The volumes that a node that ends must let go of first. Reference lifecycle.md 3.2.
#pragma once

#include "ctl/common/node_facts.h"

// VolumeAttachments of the node that are worth waiting for: not those of inline volumes, nor those of volumes of pods
// that are not drained and so keep them (they tolerate the disruption, are stuck, or are mirror pods).
// O(attachments + pods on the node × their volumes).
HandleVec node_volumes_awaited(Arena *arena, const State *state, const Node *node, int64_t now_ns);

// Their names for a message: at most five, then "and N other(s)".
Slice node_volumes_print(Arena *arena, const State *state, const HandleVec *attachments);
