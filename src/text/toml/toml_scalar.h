// Scalars of TOML: strings, numbers, dates and times. Private to src/text.
#pragma once

#include "base/err.h"
#include "text/value.h"

// A text that is being read; it is valid UTF-8.
typedef struct {
    Arena *arena; // of what is read
    Slice text;
    size_t at;
    uint32_t line;
    Err *err;
} TomlReader;

// Fails with "TOML, line N: …".
__attribute__((format(printf, 2, 3))) ErrCode toml_fail(const TomlReader *reader, const char *format, ...);

// The byte `ahead` of the place; 0 behind the end, and for a byte that is 0.
static inline char toml_peek(const TomlReader *reader, size_t ahead) {
    return reader->at + ahead < reader->text.len ? reader->text.ptr[reader->at + ahead] : '\0';
}

// Reads a string at its first quotation mark or apostrophe. `single_line`: three of them are no start, as in keys.
ErrCode toml_read_string(TomlReader *reader, bool single_line, Slice *ret_text);

// Reads a number, a boolean, a date or a time.
ErrCode toml_read_word(TomlReader *reader, Value *ret_value);
