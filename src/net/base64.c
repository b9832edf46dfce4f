// Base64, six bits at a time.
#include "net/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

Slice base64_encode(Arena *arena, Slice bytes) {
    char *text = arena_alloc_raw(arena, (bytes.len + 2) / 3 * 4), *at = text;

    for (size_t i = 0; i < bytes.len; i += 3) {
        uint32_t group = 0;

        for (size_t k = i; k < i + 3; k++)
            group = group << 8 | (k < bytes.len ? (unsigned char)bytes.ptr[k] : 0);
        for (size_t k = 0; k < 4; k++)
            *at++ = i + k > bytes.len ? '=' : alphabet[group >> (18 - 6 * k) & 63];
    }
    return (Slice){text, (size_t)(at - text)};
}

static int digit_of(char c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

ErrCode base64_decode(Arena *arena, Slice text, Slice *ret_bytes, Err *err) {
    char *bytes = arena_alloc_raw(arena, text.len / 4 * 3 + 3);
    size_t len = 0, digits = 0, padding = 0;
    uint32_t group = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        int digit = digit_of(c);

        if (c == '\n' || c == '\r' || c == ' ' || c == '\t')
            continue;
        if (c == '=' && digits % 4 + padding >= 2 && digits % 4 + padding < 4) {
            padding++;
            continue;
        }
        if (digit < 0 || padding)
            return err_set(err, ERR_INVALID, "not base64: byte %zu is none of its characters", i + 1);
        group = group << 6 | (uint32_t)digit;
        digits++;
        if (digits % 4 != 1)
            bytes[len++] = (char)(group >> (digits % 4 == 2 ? 4 : digits % 4 == 3 ? 2 : 0));
    }
    if ((digits + padding) % 4)
        return err_set(err, ERR_INVALID, "not base64: the text is cut off");
    *ret_bytes = (Slice){bytes, len};
    return OK;
}
