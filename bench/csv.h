// Tables as text: what the bench reads of CSV files (no quotes, one header line).
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

typedef struct {
    Slice file; // for messages
    SliceVec columns;
    SliceVec cells; // row after row
    uint32_t rows;
} Csv;

// Reads a whole file into `arena`. ERR_IO: cannot be read. ERR_INVALID: a row with another number of cells than the
// header; the text names file and line.
ErrCode csv_read(Arena *arena, const char *path, Csv *ret_csv, Err *err);

// ERR_NOT_FOUND: no such column.
ErrCode csv_column(const Csv *csv, const char *name, uint32_t *ret_column, Err *err);

static inline Slice csv_cell(const Csv *csv, uint32_t row, uint32_t column) {
    return csv->cells.items[(size_t)row * csv->columns.count + column];
}
// A number of at least 0. ERR_INVALID: something else stands there.
ErrCode csv_number(const Csv *csv, uint32_t row, uint32_t column, int64_t *ret_number, Err *err);
