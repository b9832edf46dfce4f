// Quoting for messages: control characters, quotes, backslashes and bytes that are not UTF-8 are escaped.
#include "text/quote.h"

#include "text/utf8.h"

#include <stdio.h>

static bool is_printable(uint32_t character) {
    if (character < 0x20 || (character >= 0x7f && character < 0xa0))
        return false;
    return character != '"' && character != '\\' && character != 0x2028 && character != 0x2029 && character != 0xfeff;
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
