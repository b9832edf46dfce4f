// Slice: a string as bytes with a length, not NUL-terminated, never owning.
//
// The function that returns a slice says how long its bytes live: usually as long as the arena they are in.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const char *ptr;
    size_t len;
} Slice;

// A slice over a string literal (or any char array).
#define SLICE(literal) ((Slice){(literal), sizeof(literal) - 1})
#define SLICE_INIT(literal)                                                                                            \
    { (literal), sizeof(literal) - 1 }
// For printf: "%.*s" with SLICE_ARG(s).
#define SLICE_ARG(s) (int)(s).len, (s).ptr

// A slice over a NUL-terminated string; NULL gives the empty slice.
static inline Slice slice_of(const char *text) {
    return (Slice){text, text ? strlen(text) : 0};
}

static inline bool slice_is_empty(Slice s) {
    return s.len == 0;
}

static inline bool slice_eq(Slice a, Slice b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool slice_eq_text(Slice a, const char *b) {
    return slice_eq(a, slice_of(b));
}

// Byte order, shorter first on a common prefix: <0, 0, >0.
static inline int slice_cmp(Slice a, Slice b) {
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common ? memcmp(a.ptr, b.ptr, common) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static inline bool slice_starts_with(Slice s, Slice prefix) {
    return s.len >= prefix.len && memcmp(s.ptr, prefix.ptr, prefix.len) == 0;
}

static inline bool slice_ends_with(Slice s, Slice suffix) {
    return s.len >= suffix.len && memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len) == 0;
}

// The part from `from` (clamped) to the end.
static inline Slice slice_from(Slice s, size_t from) {
    if (from > s.len)
        from = s.len;
    return from ? (Slice){s.ptr + from, s.len - from} : s; // no arithmetic on a NULL pointer
}

// The first `len` bytes (clamped).
static inline Slice slice_first(Slice s, size_t len) {
    return (Slice){s.ptr, len < s.len ? len : s.len};
}

// Without white space at both ends.
static inline Slice slice_trim(Slice s) {
    while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t' || s.ptr[0] == '\n' || s.ptr[0] == '\r')) {
        s.ptr++;
        s.len--;
    }
    while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t' || s.ptr[s.len - 1] == '\n' ||
                     s.ptr[s.len - 1] == '\r'))
        s.len--;
    return s;
}

// Index of the first `c`, or -1.
static inline ptrdiff_t slice_find(Slice s, char c) {
    const char *at = s.len ? (const char *)memchr(s.ptr, c, s.len) : NULL;

    return at ? at - s.ptr : -1;
}

// Index of the last `c`, or -1.
static inline ptrdiff_t slice_find_last(Slice s, char c) {
    const char *at = s.len ? (const char *)memrchr(s.ptr, c, s.len) : NULL;

    return at ? at - s.ptr : -1;
}

// What follows the last `c`; all of `s` if there is none.
static inline Slice slice_after_last(Slice s, char c) {
    return slice_from(s, (size_t)(slice_find_last(s, c) + 1));
}

// Whether `s` contains `needle`; it always contains the empty one.
static inline bool slice_contains(Slice s, Slice needle) {
    return needle.len == 0 || (s.len >= needle.len && memmem(s.ptr, s.len, needle.ptr, needle.len) != NULL);
}

// Parses all of `s` as an optional '-' and decimal digits, without '+' and spaces. False: not such a number, or outside
// int64.
bool slice_to_int64(Slice s, int64_t *ret_value);

// 64-bit hash of the bytes (xxHash), for maps within one process.
uint64_t slice_hash(Slice s);
