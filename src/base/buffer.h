// Buffer: a growing byte buffer on the heap, for text that is printed piece by piece.
#pragma once

#include "base/slice.h"

typedef struct {
    char *bytes;
    size_t len, capacity;
} Buffer;

void buffer_free(Buffer *buffer);
void buffer_append(Buffer *buffer, Slice text);
void buffer_append_char(Buffer *buffer, char c);
__attribute__((format(printf, 2, 3))) void buffer_printf(Buffer *buffer, const char *format, ...);

static inline Slice buffer_slice(const Buffer *buffer) {
    return (Slice){buffer->bytes, buffer->len};
}
