// Decoding UTF-8 (RFC 3629).
#include "text/utf8.h"

static bool is_continuation(Slice text, size_t at) {
    return at < text.len && ((unsigned char)text.ptr[at] & 0xc0) == 0x80;
}

size_t utf8_decode(Slice text, uint32_t *ret_character) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = text.len ? (unsigned char)text.ptr[0] : 0;
    size_t len = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
    uint32_t character = len == 1 ? first : first & (0x7fu >> len);

    if (text.len == 0 || len == 0)
        return 0;
    for (size_t i = 1; i < len; i++) {
        if (!is_continuation(text, i))
            return 0;
        character = character << 6 | ((unsigned char)text.ptr[i] & 0x3f);
    }
    if (character < smallest[len] || character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
        return 0;
    *ret_character = character;
    return len;
}
