// Amount: an expected number: 5, "== 5", ">= 3", "< 0.5", "2..4", "!= 0".
#pragma once

#include "text/decode.h"

typedef enum { AMOUNT_EQ, AMOUNT_NE, AMOUNT_LT, AMOUNT_LE, AMOUNT_GT, AMOUNT_GE, AMOUNT_RANGE } AmountOp;

typedef struct {
    AmountOp op;
    double value, high; // `high` of a range, which includes both ends
} Amount;

// Decodes a number or such a text.
ErrCode decode_amount(Decoder *decoder, const Value *value, void *ret_amount, Err *err);
bool amount_is_met(const Amount *amount, double value);
// ">= 3"
Slice amount_print(Arena *arena, const Amount *amount);
