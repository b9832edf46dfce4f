// VolumeAttachments that a terminating Node waits for before its instance is terminated. Behaviour: reference
// lifecycle.md 3.2.
#pragma once

#include "ctl/common/node_facts.h"

// The Node's VolumeAttachments that have to be detached first. Left out: those of inline volumes, and those of volumes
// of pods that are not drained and so keep them (they tolerate the disruption, are stuck, or are mirror pods).
// O(attachments + pods on the node × their volumes).
HandleVec node_volumes_awaited(Arena *arena, const State *state, const Node *node, int64_t now_ns);

// Names of the attachments for a message: at most five, then "and N other(s)".
Slice node_volumes_print(Arena *arena, const State *state, const HandleVec *attachments);
