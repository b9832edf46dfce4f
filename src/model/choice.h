// Enumerations of the API: decoding one word of a list, and the error message when it is another.
#pragma once

#include "text/decode.h"

// Message for a word that is not in the list: "expected one of WhenEmpty, WhenEmptyOrUnderutilized, got
// "WhenUnderutilized"; Karpenter v1 calls it WhenEmptyOrUnderutilized", or with "; did you mean …?" when a word is
// similar. O(words).
Slice choice_complaint(Arena *arena, const Slice *words, size_t count, Slice got);

// Decodes a word of a list to its index. ERR_INVALID: "expected one of A, B, got "C"".
ErrCode decode_word(Decoder *decoder, const Value *value, const char *const *words, size_t count, size_t *ret_index,
                    Err *err);
#define DECODE_WORD(decoder, value, words, ret_index, err)                                                             \
    decode_word((decoder), (value), (words), sizeof(words) / sizeof *(words), (ret_index), (err))
