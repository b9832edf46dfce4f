// Patterns of EventBridge's rules: which events they let through.
#pragma once

#include "base/arena.h"

// Whether a rule with this pattern lets events of a source and a detail-type through; `pattern` is JSON, a member of
// the event with what it may be. What is asked of other members (`detail`, `region`), and a matcher other than a text
// and
// {"prefix": …}, may let them through, so they count as if they did. What is no pattern lets nothing through.
// O(pattern).
bool event_pattern_allows(Arena *arena, Slice pattern, Slice source, Slice detail_type);
