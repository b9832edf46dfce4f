// Where JSON values end, found without parsing them: for texts that are cut into pieces before they are parsed.
//
// Only quotes and brackets are looked at. Of a text that is not JSON some end is found, and the parser refuses the
// piece.
#pragma once

#include "base/vec.h"

#include <endian.h>

// The result has the highest bit of each byte set that equals `c`; bytes after the first such one may have it wrongly.
static inline uint64_t json_bytes_equal(uint64_t eight, unsigned char c) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t zero_where = eight ^ (ones * c);

    return (zero_where - ones) & ~zero_where & (ones << 7);
}

// The first quote or '\\' from `at` on, or `end`: eight bytes at a time, since strings are most of a text.
static inline const char *json_string_mark(const char *at, const char *end) {
    for (; end - at >= 8; at += 8) {
        uint64_t eight, marks;

        memcpy(&eight, at, sizeof eight);
        eight = le64toh(eight);
        marks = json_bytes_equal(eight, '"') | json_bytes_equal(eight, '\\');
        if (marks)
            return at + __builtin_ctzll(marks) / 8;
    }
    while (at < end && *at != '"' && *at != '\\')
        at++;
    return at;
}

static inline bool json_is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Where a scan is: which lists and maps are open, and whether it is in a string.
typedef struct {
    size_t depth;       // open lists and maps
    uint64_t in_string; // all bits, or none
    uint64_t escaped;   // 1: the next byte comes after a '\\'
} JsonNesting;

// The bracket that closes the last open list or map; or `end`, and `nesting` says how to go on there. {0}: `at` is at
// the opening bracket. O(bytes).
const char *json_nesting_end(JsonNesting *nesting, const char *at, const char *end);

// The end of the first value in [at, end), which does not begin with white space: behind its closing bracket or quote,
// or, of a number or word that is not in a list or map, before the next white space. `end` when it is cut off.
const char *json_value_end(const char *at, const char *end);

// A document that is a map with a list of maps as its member "items", as kubectl and API servers print lists.
typedef struct {
    const char *end;     // of the document
    Slice before, after; // the document without the elements: up to behind '[', and from ']' on
    SliceVec elements;   // in the text
} JsonList;

// Whether the document at `at` is such a list of 1 to `most` elements. False also when its keys have escapes or it has
// "items" twice. O(its length); the elements take 16 bytes each of `arena`.
bool json_list_find(Arena *arena, const char *at, const char *end, uint32_t most, JsonList *ret_list);
