// Reboots of a sick node, as the annotation tenon.sh/reboots of its NodeClaim records them: whoever leads after a
// restart knows how often it was tried. Reference changes.md 2.
//
// "2026-11-23T00:10:00Z,…": when each was decided. Within a day a node is rebooted twice; the third time it is
// replaced.
#pragma once

#include "model/objects.h"

enum { REBOOTS_MOST = 2, REBOOT_WINDOW_H = 24 };

// How many reboots were decided within the last REBOOT_WINDOW_H. What cannot be read counts as none. O(length).
uint32_t reboots_lately(const NodeClaim *claim, const Symbols *symbols, int64_t now_ns);

// The annotation's text with one more, now, without those that are older.
Slice reboots_add(Arena *arena, const NodeClaim *claim, const Symbols *symbols, int64_t now_ns);
