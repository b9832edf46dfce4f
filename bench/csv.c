#include "csv.h"

#include <errno.h>
#include <stdio.h>

static ErrCode read_file(Arena *arena, const char *path, Slice *ret_text, Err *err) {
    FILE *file = fopen(path, "rb");
    char *bytes;
    long size;

    if (!file)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0) {
        fclose(file);
        return err_set(err, ERR_IO, "%s: expected a file whose size is known", path);
    }
    bytes = arena_alloc_raw(arena, (size_t)size);
    *ret_text = (Slice){bytes, fread(bytes, 1, (size_t)size, file)};
    fclose(file);
    if (ret_text->len != (size_t)size)
        return err_set(err, ERR_IO, "%s: %zu of %ld bytes could be read", path, ret_text->len, size);
    return OK;
}

// Takes what stands before `separator` off the front of `rest`; the whole when there is none.
static Slice take(Slice *rest, char separator) {
    ptrdiff_t at = slice_find(*rest, separator);
    Slice first = at < 0 ? *rest : slice_first(*rest, (size_t)at);

    *rest = slice_from(*rest, at < 0 ? rest->len : (size_t)at + 1);
    return first;
}

static void split(Arena *arena, Slice line, SliceVec *cells) {
    do {
        vec_push(arena, cells, take(&line, ','));
    } while (line.len);
}

static Slice take_line(Slice *rest) {
    Slice line = take(rest, '\n');

    return slice_ends_with(line, SLICE("\r")) ? slice_first(line, line.len - 1) : line;
}

ErrCode csv_read(Arena *arena, const char *path, Csv *ret_csv, Err *err) {
    Csv csv = {.file = arena_slice(arena, slice_of(path))};
    Slice text;

    TRY(read_file(arena, path, &text, err));
    split(arena, take_line(&text), &csv.columns);
    while (text.len) {
        uint32_t before = csv.cells.count;
        Slice line = take_line(&text);

        if (!line.len)
            continue;
        split(arena, line, &csv.cells);
        if (slice_ends_with(line, SLICE(",")))
            vec_push(arena, &csv.cells, (Slice){0});
        csv.rows++;
        if (csv.cells.count - before != csv.columns.count)
            return err_set(err, ERR_INVALID, "%s:%u: expected %u cells as in the header, got %u", path, csv.rows + 1,
                           csv.columns.count, csv.cells.count - before);
    }
    *ret_csv = csv;
    return OK;
}

ErrCode csv_column(const Csv *csv, const char *name, uint32_t *ret_column, Err *err) {
    for (uint32_t i = 0; i < csv->columns.count; i++) {
        if (slice_eq_text(csv->columns.items[i], name)) {
            *ret_column = i;
            return OK;
        }
    }
    return err_set(err, ERR_NOT_FOUND, "%.*s:1: expected a column %s", SLICE_ARG(csv->file), name);
}

ErrCode csv_number(const Csv *csv, uint32_t row, uint32_t column, int64_t *ret_number, Err *err) {
    Slice cell = csv_cell(csv, row, column);

    if (!slice_to_int64(cell, ret_number) || *ret_number < 0)
        return err_set(err, ERR_INVALID, "%.*s:%u: %.*s: expected a number of at least 0, got \"%.*s\"",
                       SLICE_ARG(csv->file), row + 2, SLICE_ARG(csv->columns.items[column]), SLICE_ARG(cell));
    return OK;
}
