// Quoting for messages: control characters, quotes, backslashes and bytes that are not valid UTF-8 are escaped.
#include "text/quote.h"

#include "base/buffer.h"
#include "text/utf8.h"

#include <stdio.h>

// Whether the character is printable: no control character, line separator, invisible character or change of direction.
static bool is_harmless(uint32_t character) {
    if (character < 0x20 || (character >= 0x7f && character < 0xa0))
        return false;
    if ((character >= 0x2028 && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069))
        return false;
    return character != 0xfeff;
}

static bool is_printable(uint32_t character) {
    return is_harmless(character) && character != '"' && character != '\\';
}

static char *escape(char *to, const char *bytes, size_t count) {
    if (count == 1 && (*bytes == '"' || *bytes == '\\'))
        return to + sprintf(to, "\\%c", *bytes);
    for (size_t i = 0; i < count; i++)
        to += sprintf(to, "\\x%02x", (unsigned char)bytes[i]);
    return to;
}

Quote quote(Slice text) {
    Quote quote;
    char *to = quote.text;

    *to++ = '"';
    for (size_t at = 0, left = QUOTE_BYTES_MAX; at < text.len;) {
        uint32_t character = 0;
        size_t len = utf8_decode(slice_from(text, at), &character), count = len ? len : 1;

        if (count > left) {
            to = memcpy(to, "…", sizeof "…" - 1);
            to += sizeof "…" - 1;
            break;
        }
        if (len && is_printable(character))
            to = (char *)memcpy(to, text.ptr + at, len) + len;
        else
            to = escape(to, text.ptr + at, count);
        at += count;
        left -= count;
    }
    *to++ = '"';
    *to = 0;
    return quote;
}

static bool is_clean(Slice text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t character = 0;
        size_t len = utf8_decode(slice_from(text, at), &character);

        if (!len || !is_harmless(character))
            return false;
        at += len;
    }
    return true;
}

Slice printable(Arena *arena, Slice text) {
    Buffer shown = {0};
    Slice copy;

    if (is_clean(text))
        return text;
    for (size_t at = 0; at < text.len;) {
        uint32_t character = 0;
        size_t len = utf8_decode(slice_from(text, at), &character), count = len ? len : 1;

        if (len && is_harmless(character))
            buffer_append(&shown, (Slice){text.ptr + at, len});
        for (size_t i = 0; i < count && !(len && is_harmless(character)); i++)
            buffer_printf(&shown, "\\x%02x", (unsigned char)text.ptr[at + i]);
        at += count;
    }
    copy = arena_slice(arena, buffer_slice(&shown));
    buffer_free(&shown);
    return copy;
}
