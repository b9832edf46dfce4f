// One word out of a list, as enumerations of the API are: what is said when it is another.
#pragma once

#include "base/arena.h"

// "expected one of WhenEmpty, WhenEmptyOrUnderutilized, got "WhenUnderutilized"; Karpenter v1 calls it
// WhenEmptyOrUnderutilized", or with "; did you mean …?" where a word is near. O(words).
Slice choice_complaint(Arena *arena, const Slice *words, size_t count, Slice got);
