// Parsing, comparing and printing amounts.
#include "sim/scenario/amount.h"

#include <math.h>

static const struct {
    const char *text;
    AmountOp op;
} operators[] = {{"==", AMOUNT_EQ}, {"!=", AMOUNT_NE}, {"<=", AMOUNT_LE},
                 {">=", AMOUNT_GE}, {"<", AMOUNT_LT},  {">", AMOUNT_GT}};

enum { OPERATOR_COUNT = sizeof operators / sizeof *operators };

static bool read_number(Slice text, double *ret_number) {
    Value value = {.kind = VALUE_NUMBER, .text = slice_trim(text)};

    return value.text.len > 0 && value_to_double(&value, ret_number);
}

static bool read_range(Slice text, Amount *amount) {
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.ptr[i] == '.' && text.ptr[i + 1] == '.') {
            amount->op = AMOUNT_RANGE;
            return read_number(slice_first(text, i), &amount->value) &&
                   read_number(slice_from(text, i + 2), &amount->high) && amount->value <= amount->high;
        }
    }
    return false;
}

static bool read_amount(Slice text, Amount *amount) {
    for (size_t i = 0; i < OPERATOR_COUNT; i++) {
        Slice word = slice_of(operators[i].text);

        if (slice_starts_with(text, word)) {
            amount->op = operators[i].op;
            return read_number(slice_from(text, word.len), &amount->value);
        }
    }
    return read_range(text, amount) || read_number(text, &amount->value);
}

ErrCode decode_amount(Decoder *decoder, const Value *value, void *ret_amount, Err *err) {
    Amount amount = {0};

    if (value->kind != VALUE_NUMBER && value->kind != VALUE_STRING)
        return decode_fail(decoder, value, err, "expected an amount (5, \">= 3\", \"2..4\"), got %s",
                           value_kind_text(value->kind));
    if (!read_amount(slice_trim(value->text), &amount))
        return decode_fail(decoder, value, err, "expected an amount (5, \">= 3\", \"2..4\"), got \"%.*s\"",
                           SLICE_ARG(value->text));
    *(Amount *)ret_amount = amount;
    return OK;
}

bool amount_is_met(const Amount *amount, double value) {
    const double tolerance = 1e-9 * fmax(1, fabs(amount->value));

    switch (amount->op) {
    case AMOUNT_EQ:
        return fabs(value - amount->value) <= tolerance;
    case AMOUNT_NE:
        return fabs(value - amount->value) > tolerance;
    case AMOUNT_LT:
        return value < amount->value;
    case AMOUNT_LE:
        return value <= amount->value + tolerance;
    case AMOUNT_GT:
        return value > amount->value;
    case AMOUNT_GE:
        return value >= amount->value - tolerance;
    case AMOUNT_RANGE:
        return value >= amount->value - tolerance && value <= amount->high + tolerance;
    }
    return false;
}

Slice amount_print(Arena *arena, const Amount *amount) {
    if (amount->op == AMOUNT_RANGE)
        return arena_printf(arena, "%g..%g", amount->value, amount->high);
    for (size_t i = 0; i < OPERATOR_COUNT; i++) {
        if (operators[i].op == amount->op && amount->op != AMOUNT_EQ)
            return arena_printf(arena, "%s %g", operators[i].text, amount->value);
    }
    return arena_printf(arena, "%g", amount->value);
}
