// Globs: patterns with '*' and '?'.
#pragma once

#include "base/slice.h"

// '*' matches any text, '?' any character. An empty pattern matches everything. O(pattern × text).
bool glob_matches(Slice pattern, Slice text);
