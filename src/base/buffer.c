// The growing byte buffer.
#include "base/buffer.h"

#include "base/alloc.h"
#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>

static void reserve(Buffer *buffer, size_t more) {
    size_t needed = buffer->len + more, capacity = buffer->capacity ? buffer->capacity : 256;

    if (needed <= buffer->capacity)
        return;
    while (capacity < needed)
        capacity *= 2;
    RESIZE(buffer->bytes, capacity);
    buffer->capacity = capacity;
}

void buffer_free(Buffer *buffer) {
    free(buffer->bytes);
    *buffer = (Buffer){0};
}

void buffer_append(Buffer *buffer, Slice text) {
    reserve(buffer, text.len);
    if (text.len)
        memcpy(buffer->bytes + buffer->len, text.ptr, text.len);
    buffer->len += text.len;
}

void buffer_append_char(Buffer *buffer, char c) {
    reserve(buffer, 1);
    buffer->bytes[buffer->len++] = c;
}

void buffer_printf(Buffer *buffer, const char *format, ...) {
    va_list args, again;
    int len;

    va_start(args, format);
    va_copy(again, args);
    len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    CHECK(len >= 0, "bad format '%s'", format);
    reserve(buffer, (size_t)len + 1);
    vsnprintf(buffer->bytes + buffer->len, (size_t)len + 1, format, again);
    va_end(again);
    buffer->len += (size_t)len;
}
