// Helpers for parsing the catalogue.
#include "cloud/aws/catalogue_reader.h"

Slice catalogue_take(Slice *rest, char separator) {
    ptrdiff_t at = slice_find(*rest, separator);
    Slice part = at < 0 ? *rest : slice_first(*rest, (size_t)at);

    *rest = at < 0 ? slice_from(*rest, rest->len) : slice_from(*rest, (size_t)at + 1);
    return part;
}

ErrCode catalogue_fail(const CatalogueReader *reader, const char *column, const char *expected, Slice got) {
    return err_set(reader->err, ERR_INVALID, "%.*s:%u: %s: expected %s, got \"%.*s\"", SLICE_ARG(reader->file),
                   reader->line, column, expected, (int)(got.len < 60 ? got.len : 60), got.ptr);
}

bool catalogue_count(Slice text, int64_t *ret_number) {
    return slice_to_int64(text, ret_number) && *ret_number >= 0 && *ret_number <= 1000000000;
}
