// Writer: JSON text, written from front to back.
#pragma once

#include "base/buffer.h"

typedef struct {
    Buffer buffer;
    bool has_comma; // the next member or element needs one before it
} Writer;

// `name` NULL: an element of a list.
void write_begin(Writer *writer, const char *name, char bracket); // '{' or '['
void write_end(Writer *writer, char bracket);
__attribute__((format(printf, 3, 4))) void write_text(Writer *writer, const char *name, const char *format, ...);
void write_number(Writer *writer, const char *name, int64_t number);
void write_real(Writer *writer, const char *name, double number); // five decimals
void write_bool(Writer *writer, const char *name, bool value);
