// JSON that AWS keeps as a text: the pattern of a rule, the policy of a queue.
#pragma once

#include "text/value.h"

// Reads a map, which lives as long as `arena` and the text. False, and a map without members: it is none, or larger
// than 64 KiB, 32 levels or 10,000 values, where AWS itself takes 8 KiB at most. O(length).
bool stored_json_read(Arena *arena, Slice text, Value *ret_map);
