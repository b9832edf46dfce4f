// Nearest: the most similar word of a list, for "did you mean".
#pragma once

#include "base/slice.h"

enum { NEAREST_BYTES_MAX = 64 }; // longer words have no suggestion

// The most similar word so far; empty: none is similar. Start with {.text = the input}.
typedef struct {
    Slice text, word;
    size_t distance;
} Nearest;

// Considers a word: it is kept if it is more similar than the words before, with at most a third of its letters added,
// removed, changed or swapped with their neighbour. Case does not matter. Of equally similar words the first is kept.
// O(length²).
void nearest_offer(Nearest *nearest, Slice word);
