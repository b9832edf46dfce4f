#include "json_writer.h"

#include "text/json.h"

#include <errno.h>

enum { FLUSH_BYTES = 1 << 20 };

ErrCode json_writer_open(JsonWriter *writer, const char *path, Err *err) {
    *writer = (JsonWriter){.file = fopen(path, "wb")};
    return writer->file ? OK : err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
}

static void flush(JsonWriter *writer) {
    (void)!fwrite(writer->buffer.bytes, 1, writer->buffer.len, writer->file); // json_writer_close asks ferror
    writer->buffer.len = 0;
}

ErrCode json_writer_close(JsonWriter *writer, const char *path, Err *err) {
    bool failed;

    buffer_append_char(&writer->buffer, '\n');
    flush(writer);
    buffer_free(&writer->buffer);
    failed = ferror(writer->file) != 0;
    failed |= fclose(writer->file) != 0;
    return failed ? err_set(err, ERR_IO, "%s: not all of it could be written", path) : OK;
}

static void start(JsonWriter *writer, Slice name) {
    if (writer->buffer.len >= FLUSH_BYTES)
        flush(writer);
    if (writer->has_comma)
        buffer_append_char(&writer->buffer, ',');
    if (name.len) {
        json_print_string(&writer->buffer, name);
        buffer_append_char(&writer->buffer, ':');
    }
    writer->has_comma = true;
}

void json_begin(JsonWriter *writer, Slice name, char bracket) {
    start(writer, name);
    buffer_append_char(&writer->buffer, bracket);
    writer->has_comma = false;
}

void json_end(JsonWriter *writer, char bracket) {
    buffer_append_char(&writer->buffer, bracket);
    writer->has_comma = true;
}

void json_text(JsonWriter *writer, Slice name, Slice text) {
    start(writer, name);
    json_print_string(&writer->buffer, text);
}

void json_int(JsonWriter *writer, Slice name, int64_t number) {
    start(writer, name);
    buffer_printf(&writer->buffer, "%lld", (long long)number);
}

void json_real(JsonWriter *writer, Slice name, double number) {
    start(writer, name);
    buffer_printf(&writer->buffer, "%.17g", number);
}

void json_bool(JsonWriter *writer, Slice name, bool value) {
    start(writer, name);
    buffer_append(&writer->buffer, value ? SLICE("true") : SLICE("false"));
}
