// JSON written front to back into a file, without a tree: a case of 100,000 pods is 60 MB of text.
#pragma once

#include "base/buffer.h"
#include "base/err.h"

#include <stdio.h>

typedef struct {
    FILE *file;
    Buffer buffer;  // not yet in the file
    bool has_comma; // the next member or element needs one before it
} JsonWriter;

// ERR_IO: the file cannot be made.
ErrCode json_writer_open(JsonWriter *writer, const char *path, Err *err);
// Closes in any case. ERR_IO: not all could be written.
ErrCode json_writer_close(JsonWriter *writer, const char *path, Err *err);

// `name` empty: an element of a list. Brackets: '{', '[', and their ends.
void json_begin(JsonWriter *writer, Slice name, char bracket);
void json_end(JsonWriter *writer, char bracket);
void json_text(JsonWriter *writer, Slice name, Slice text);
void json_int(JsonWriter *writer, Slice name, int64_t number);
void json_real(JsonWriter *writer, Slice name, double number); // with all its digits
void json_bool(JsonWriter *writer, Slice name, bool value);

#define NO_NAME ((Slice){0})
