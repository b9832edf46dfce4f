// Any text as a multipart message, within the bounds of mime.h. What is read is written and read again: the same parts,
// but for carriage returns.
#include "support/fuzz.h"

#include "text/mime.h"

#define BOUNDARY SLICE("=_a boundary that no input has_=")

static Slice without_cr(Arena *arena, Slice text) {
    char *copy = arena_alloc(arena, text.len + 1);
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '\r')
            copy[len++] = text.ptr[i];
    }
    return (Slice){copy, len};
}

static bool has_boundary(Slice text) {
    return slice_contains(text, slice_first(BOUNDARY, 8));
}

// Whether the message can be written as it was read: no header or body has what would end it.
static bool is_plain(const MimePart *part) {
    for (vec_each(const MimeHeader, header, &part->headers)) {
        if (slice_find(header->value, '\r') >= 0 || has_boundary(header->value))
            return false;
    }
    return !has_boundary(part->body);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Slice text = {(const char *)bytes, size};
    Arena arena = {0};
    MimePartVec parts = {0}, again = {0};
    Buffer out = {0};
    Err err = {0};
    bool plain = true;

    if (mime_read(&arena, text, &parts, &err) != OK) {
        CHECK(err.text[0] && !parts.count, "an error without a text");
    } else {
        CHECK(parts.count <= MIME_PARTS_MAX, "%u parts", parts.count);
        for (vec_each(const MimePart, part, &parts))
            plain &= is_plain(part);
        mime_write(&out, BOUNDARY, &parts);
        if (plain) {
            CHECK(mime_read(&arena, buffer_slice(&out), &again, &err) == OK, "%s", err.text);
            CHECK(again.count == parts.count, "%u parts, then %u", parts.count, again.count);
        }
        for (uint32_t i = 0; plain && i < parts.count; i++) {
            CHECK(slice_eq(again.items[i].body, without_cr(&arena, parts.items[i].body)), "part %u differs", i);
            CHECK(again.items[i].headers.count == parts.items[i].headers.count, "headers of part %u", i);
        }
    }
    buffer_free(&out);
    arena_free(&arena);
    return 0;
}
