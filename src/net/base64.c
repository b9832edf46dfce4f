// Base64 by OpenSSL, whose decoder accepts '=' anywhere and stops at '-' without an error: both are checked here.
#include "net/base64.h"

#include "base/check.h"

#include <limits.h>
#include <openssl/evp.h>

Slice base64_encode(Arena *arena, Slice bytes) {
    unsigned char *text;
    int len;

    CHECK(bytes.len <= INT_MAX / 2, "%zu bytes", bytes.len);
    text = arena_alloc_raw(arena, (bytes.len + 2) / 3 * 4 + 1);
    len = EVP_EncodeBlock(text, (const unsigned char *)bytes.ptr, (int)bytes.len);
    return (Slice){(const char *)text, (size_t)len};
}

static bool is_space(char c) {
    return c == '\n' || c == '\r' || c == ' ' || c == '\t';
}

ErrCode base64_decode(Arena *arena, Slice text, Slice *ret_bytes, Err *err) {
    unsigned char *digits = arena_alloc_raw(arena, text.len), *bytes = arena_alloc_raw(arena, text.len / 4 * 3);
    size_t len = 0, padding = 0, decoded;

    for (size_t i = 0; i < text.len; i++) {
        if (!is_space(text.ptr[i]))
            digits[len++] = (unsigned char)text.ptr[i];
    }
    if (len % 4 || len > INT_MAX)
        return err_set(err, ERR_INVALID, "not base64: the text is cut off");
    while (padding < 2 && padding < len && digits[len - 1 - padding] == '=')
        padding++;
    decoded = len / 4 * 3;
    if (memchr(digits, '=', len - padding) || EVP_DecodeBlock(bytes, digits, (int)len) != (int)decoded)
        return err_set(err, ERR_INVALID, "not base64: a byte is none of its characters");
    *ret_bytes = (Slice){(const char *)bytes, decoded - padding};
    return OK;
}
