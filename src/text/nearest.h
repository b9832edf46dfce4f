// "Did you mean": the word of a list that somebody may have meant.
#pragma once

#include "base/slice.h"

enum { NEAREST_BYTES_MAX = 64 }; // longer words are no names

// The best word so far; empty: none is near. Start with {.text = what was written}.
typedef struct {
    Slice text, word;
    size_t distance;
} Nearest;

// Takes the word when it is nearer than what was offered before: at most a third of its letters added, left out, other
// or exchanged with their neighbour. Upper and lower case are the same. The first of equally near words stays.
// O(length²).
void nearest_offer(Nearest *nearest, Slice word);
