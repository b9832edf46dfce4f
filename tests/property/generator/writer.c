// Writing JSON without a tree.
#include "generator/writer.h"

#include <stdarg.h>
#include <stdio.h>

static void start(Writer *writer, const char *name) {
    if (writer->has_comma)
        buffer_append_char(&writer->buffer, ',');
    if (name)
        buffer_printf(&writer->buffer, "\"%s\":", name);
    writer->has_comma = true;
}

void write_begin(Writer *writer, const char *name, char bracket) {
    start(writer, name);
    buffer_append_char(&writer->buffer, bracket);
    writer->has_comma = false;
}

void write_end(Writer *writer, char bracket) {
    buffer_append_char(&writer->buffer, bracket);
    writer->has_comma = true;
}

// Nothing that is written needs escapes.
void write_text(Writer *writer, const char *name, const char *format, ...) {
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    start(writer, name);
    buffer_printf(&writer->buffer, "\"%s\"", text);
}

void write_number(Writer *writer, const char *name, int64_t number) {
    start(writer, name);
    buffer_printf(&writer->buffer, "%lld", (long long)number);
}

void write_real(Writer *writer, const char *name, double number) {
    start(writer, name);
    buffer_printf(&writer->buffer, "%.5f", number);
}

void write_bool(Writer *writer, const char *name, bool value) {
    start(writer, name);
    buffer_append(&writer->buffer, value ? SLICE("true") : SLICE("false"));
}
