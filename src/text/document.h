// Reading: common parts of the YAML and JSON readers: limits, warnings, and maps that detect duplicate keys.
#pragma once

#include "base/map.h"
#include "text/value.h"

enum { DEPTH_MAX_DEFAULT = 256, VALUES_MAX_DEFAULT = 50000000, ALIAS_VALUES_MAX = 1000000, DUPLICATES_NAMED_MAX = 100 };

// State of reading one text.
typedef struct {
    Arena *arena; // of Values
    Arena *notes; // of warnings
    Slice file;
    bool strict;
    uint32_t depth_max, values_max;
    uint32_t values;     // in this document so far
    uint32_t duplicates; // duplicate keys in all documents
    WarningVec *warnings;
    Err *err;
} Reading;

Reading reading_start(Arena *arena, Slice file, const ParseOptions *options, WarningVec *warnings, Err *err);

// Reports "file:line: message" with ERR_INVALID or `code`.
__attribute__((format(printf, 4, 5))) ErrCode reading_fail(const Reading *reading, ErrCode code, uint32_t line,
                                                           const char *format, ...);

// Fails for the limit that one more value at this depth exceeds.
ErrCode reading_refuse(const Reading *reading, uint32_t line, uint32_t depth);

// Counts a value and checks the limits on values and depth.
static inline ErrCode reading_count(Reading *reading, uint32_t line, uint32_t depth) {
    if (depth > reading->depth_max || ++reading->values > reading->values_max)
        return reading_refuse(reading, line, depth);
    return OK;
}

// A map being built: finds keys by hash once it is large.
typedef struct {
    ValueMap members;
    IndexMap index;
    Vec(bool) merged; // by member: it comes from a merge ("<<"); ends with the last such member
} MapBuilder;

// Adds a member, or replaces the one with that key and warns (strict: fails).
ErrCode map_builder_put(Reading *reading, MapBuilder *builder, ValueMember member);

// Adds a member whose value the caller fills in before it adds another one. NULL: there is one with that key.
ValueMember *map_builder_add(Reading *reading, MapBuilder *builder, Slice key, uint32_t line);

// Adds a member from a merged map (YAML's "<<"). It replaces an earlier member silently, and a later key replaces it.
void map_builder_merge(Reading *reading, MapBuilder *builder, ValueMember member);

// Appends a document; for json.cpp, because the macros of base/vec.h are not C++.
void documents_add(Arena *arena, DocumentVec *documents, Document document);

// An excerpt of input for messages: at most 40 bytes, control characters as '?'.
Slice excerpt(Arena *arena, Slice text);

// Whether the bytes are valid UTF-8; ret_at: offset of the first byte that is not.
bool utf8_valid(Slice text, size_t *ret_at);
// 1-based line of an offset. O(offset).
uint32_t line_of(Slice text, size_t offset);
