// Strings of TOML.
#include "base/buffer.h"
#include "text/quote.h"
#include "text/toml/toml_scalar.h"

#include <stdarg.h>
#include <stdio.h>

ErrCode toml_fail(const TomlReader *reader, const char *format, ...) {
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return err_set(reader->err, ERR_INVALID, "TOML, line %u: %s", reader->line, text);
}

static void append_utf8(Buffer *out, uint32_t character) {
    if (character < 0x80) {
        buffer_append_char(out, (char)character);
        return;
    }
    if (character < 0x800) {
        buffer_append_char(out, (char)(0xc0 | character >> 6));
    } else {
        if (character < 0x10000) {
            buffer_append_char(out, (char)(0xe0 | character >> 12));
        } else {
            buffer_append_char(out, (char)(0xf0 | character >> 18));
            buffer_append_char(out, (char)(0x80 | (character >> 12 & 0x3f)));
        }
        buffer_append_char(out, (char)(0x80 | (character >> 6 & 0x3f)));
    }
    buffer_append_char(out, (char)(0x80 | (character & 0x3f)));
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Reads the digits behind \u or \U.
static ErrCode read_character(TomlReader *reader, size_t digits, Buffer *out) {
    uint32_t character = 0;

    for (size_t i = 0; i < digits; i++) {
        int digit = hex_digit(toml_peek(reader, i));

        if (digit < 0)
            return toml_fail(reader, "expected %zu hexadecimal digits behind \\%c", digits, digits == 4 ? 'u' : 'U');
        character = character << 4 | (uint32_t)digit;
    }
    if (character > 0x10ffff || (character >= 0xd800 && character <= 0xdfff))
        return toml_fail(reader, "there is no character U+%X", character);
    reader->at += digits;
    append_utf8(out, character);
    return OK;
}

// The line break at the place: its length; 0: there is none.
static size_t newline_length(const TomlReader *reader) {
    if (toml_peek(reader, 0) == '\n')
        return 1;
    return toml_peek(reader, 0) == '\r' && toml_peek(reader, 1) == '\n' ? 2 : 0;
}

// Skips a backslash at the end of a line: white space and line breaks behind it. False: it is none.
static bool skip_line_end(TomlReader *reader) {
    TomlReader ahead = *reader;
    size_t len;
    bool any = false;

    for (;;) {
        if (toml_peek(&ahead, 0) == ' ' || toml_peek(&ahead, 0) == '\t') {
            ahead.at++;
        } else if ((len = newline_length(&ahead))) {
            ahead.at += len;
            ahead.line++;
            any = true;
        } else {
            break;
        }
    }
    if (any)
        *reader = ahead;
    return any;
}

// Reads what stands behind a backslash.
static ErrCode read_escape(TomlReader *reader, bool multi_line, Buffer *out) {
    static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
    char c = toml_peek(reader, 0);
    const char *found = c ? strchr(from, c) : NULL;

    if (found) {
        reader->at++;
        buffer_append_char(out, to[found - from]);
        return OK;
    }
    if (c == 'u' || c == 'U') {
        reader->at++;
        return read_character(reader, c == 'u' ? 4 : 8, out);
    }
    if (multi_line && skip_line_end(reader))
        return OK;
    return toml_fail(reader, "unknown escape \\%c", c >= ' ' && c <= '~' ? c : '?');
}

static bool is_control(char c) {
    return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
}

// How many of the mark follow each other at the place, at most five.
static size_t count_marks(const TomlReader *reader, char mark) {
    size_t count = 0;

    while (count < 5 && reader->at + count < reader->text.len && toml_peek(reader, count) == mark)
        count++;
    return count;
}

// Reads one character or escape of a string; of one that ends on its line a line break is none.
static ErrCode read_piece(TomlReader *reader, char mark, bool multi_line, Buffer *out) {
    size_t newline = multi_line ? newline_length(reader) : 0;
    char c = toml_peek(reader, 0);

    if (newline) {
        reader->at += newline;
        reader->line++;
        buffer_append_char(out, '\n');
        return OK;
    }
    if (is_control(c))
        return toml_fail(reader, "a control character in a string");
    reader->at++;
    if (c == '\\' && mark == '"')
        return read_escape(reader, multi_line, out);
    buffer_append_char(out, c);
    return OK;
}

// Reads up to the closing marks, and over them.
static ErrCode read_body(TomlReader *reader, char mark, bool multi_line, Buffer *out) {
    uint32_t start = reader->line;

    while (reader->at < reader->text.len) {
        size_t marks = count_marks(reader, mark);

        if (marks && !multi_line) {
            reader->at++;
            return OK;
        }
        if (marks >= 3) { // what is more than three of them belongs to the string
            for (size_t i = 3; i < marks; i++)
                buffer_append_char(out, mark);
            reader->at += marks;
            return OK;
        }
        TRY(read_piece(reader, mark, multi_line, out));
    }
    return toml_fail(reader, "the string that begins in line %u does not end", start);
}

ErrCode toml_read_string(TomlReader *reader, bool single_line, Slice *ret_text) {
    char mark = toml_peek(reader, 0);
    bool multi_line = !single_line && count_marks(reader, mark) >= 3;
    Buffer out = {0};
    ErrCode code;

    reader->at += multi_line ? 3 : 1;
    if (multi_line && newline_length(reader)) {
        reader->at += newline_length(reader);
        reader->line++;
    }
    code = read_body(reader, mark, multi_line, &out);
    if (code == OK)
        *ret_text = arena_slice(reader->arena, buffer_slice(&out));
    buffer_free(&out);
    return code;
}
