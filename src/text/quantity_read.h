// QuantityText: a quantity split into sign, decimal number and suffix; shared by parsing and printing.
#pragma once

#include "base/err.h"
#include "text/decimal.h"
#include "text/quantity.h"

// The formats, as k8s.io/apimachinery names them: 1500m, 1.5Gi, 15e2.
typedef enum { NOTATION_DECIMAL, NOTATION_BINARY, NOTATION_EXPONENT } Notation;

typedef struct {
    bool negative;
    Decimal number;
    Notation notation;
    int64_t exponent; // of 2 for NOTATION_BINARY, of 10 for the others
} QuantityText;

// Splits `text`. ERR_INVALID: a syntax error.
ErrCode quantity_read(Slice text, QuantityText *ret_quantity, Err *err);

// The absolute value in units of 10^-places, rounded up, at most `limit`; `places` is at most 9. False: larger.
bool quantity_magnitude(const QuantityText *quantity, unsigned places, Magnitude limit, Magnitude *ret_magnitude);
