// One word out of a list, as enumerations of the API are: what is said when it is another.
#pragma once

#include "text/decode.h"

// "expected one of WhenEmpty, WhenEmptyOrUnderutilized, got "WhenUnderutilized"; Karpenter v1 calls it
// WhenEmptyOrUnderutilized", or with "; did you mean …?" where a word is near. O(words).
Slice choice_complaint(Arena *arena, const Slice *words, size_t count, Slice got);

// One of a list of words: its index. "expected one of A, B, got "C"".
ErrCode decode_word(Decoder *decoder, const Value *value, const char *const *words, size_t count, size_t *ret_index,
                    Err *err);
#define DECODE_WORD(decoder, value, words, ret_index, err)                                                             \
    decode_word((decoder), (value), (words), sizeof(words) / sizeof *(words), (ret_index), (err))
