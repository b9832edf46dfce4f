// Scalars as fields of structs and as texts.
#include "aws/protocol/scalar.h"

#include "aws/protocol/time.h"
#include "net/base64.h"
#include "text/value.h"

#include <inttypes.h>
#include <math.h>

bool aws_is_present(const AwsShape *shape, const void *field) {
    switch (shape->kind) {
    case AWS_STRING:
    case AWS_BLOB:
        return ((const Slice *)field)->ptr != NULL;
    case AWS_BOOL:
        return ((const AwsBool *)field)->has;
    case AWS_INTEGER:
        return ((const AwsInteger *)field)->has;
    case AWS_REAL:
        return ((const AwsReal *)field)->has;
    case AWS_TIME:
        return ((const AwsTime *)field)->has;
    case AWS_STRUCTURE:
        return *(const void *const *)field != NULL;
    case AWS_LIST:
    case AWS_MAP:
        return ((const AwsItems *)field)->items != NULL;
    }
    return false;
}

static void real_write(Buffer *buffer, double number) {
    Arena scratch = {0};

    if (isnan(number))
        buffer_append(buffer, SLICE("NaN"));
    else if (isinf(number))
        buffer_append(buffer, number < 0 ? SLICE("-Infinity") : SLICE("Infinity"));
    else
        buffer_append(buffer, value_real(&scratch, number).text);
    arena_free(&scratch);
}

static void blob_write(Buffer *buffer, Slice bytes) {
    Arena scratch = {0};

    buffer_append(buffer, base64_encode(&scratch, bytes));
    arena_free(&scratch);
}

void aws_scalar_write(Buffer *buffer, const AwsShape *shape, AwsTimeFormat usual, const void *field) {
    switch (shape->kind) {
    case AWS_STRING:
        buffer_append(buffer, *(const Slice *)field);
        break;
    case AWS_BLOB:
        blob_write(buffer, *(const Slice *)field);
        break;
    case AWS_BOOL:
        buffer_append(buffer, ((const AwsBool *)field)->value ? SLICE("true") : SLICE("false"));
        break;
    case AWS_INTEGER:
        buffer_printf(buffer, "%" PRId64, ((const AwsInteger *)field)->value);
        break;
    case AWS_REAL:
        real_write(buffer, ((const AwsReal *)field)->value);
        break;
    case AWS_TIME:
        aws_time_write(buffer, shape->time_format == AWS_TIME_USUAL ? usual : shape->time_format,
                       *(const AwsTime *)field);
        break;
    default:
        CHECK(false, "kind %d is no scalar", shape->kind);
    }
}

static ErrCode bool_read(Slice text, AwsBool *ret_bool, Err *err) {
    if (!slice_eq_text(text, "true") && !slice_eq_text(text, "false"))
        return err_set(err, ERR_INVALID, "expected true or false");
    *ret_bool = aws_bool(text.ptr[0] == 't');
    return OK;
}

static ErrCode integer_read(Slice text, AwsInteger *ret_integer, Err *err) {
    AwsInteger integer = {.has = true};
    Value number = {.kind = VALUE_NUMBER, .text = text};

    if (!value_to_int64(&number, &integer.value))
        return err_set(err, ERR_INVALID, "expected an integer of 64 bits");
    *ret_integer = integer;
    return OK;
}

static ErrCode real_read(Slice text, AwsReal *ret_real, Err *err) {
    AwsReal real = {.has = true};
    Value number = {.kind = VALUE_NUMBER, .text = text};

    if (slice_eq_text(text, "NaN"))
        real.value = NAN;
    else if (slice_eq_text(text, "Infinity") || slice_eq_text(text, "-Infinity"))
        real.value = text.ptr[0] == '-' ? -INFINITY : INFINITY;
    else if (!value_to_double(&number, &real.value))
        return err_set(err, ERR_INVALID, "expected a number");
    *ret_real = real;
    return OK;
}

ErrCode aws_scalar_read(Arena *arena, const AwsShape *shape, Slice text, void *ret_field, Err *err) {
    if (shape->kind == AWS_STRING) {
        *(Slice *)ret_field = arena_slice(arena, text); // not NULL when empty: it is present
        return OK;
    }
    if (shape->kind == AWS_BLOB)
        return base64_decode(arena, text, ret_field, err);
    text = slice_trim(text);
    if (slice_is_empty(text))
        return OK;
    switch (shape->kind) {
    case AWS_BOOL:
        return bool_read(text, ret_field, err);
    case AWS_INTEGER:
        return integer_read(text, ret_field, err);
    case AWS_REAL:
        return real_read(text, ret_field, err);
    case AWS_TIME:
        return aws_time_read(text, ret_field, err);
    default:
        CHECK(false, "kind %d is no scalar", shape->kind);
    }
    return OK;
}
