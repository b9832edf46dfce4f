// What the YAML and JSON readers share: bounds, warnings, and maps that notice a key given twice.
#pragma once

#include "base/map.h"
#include "text/value.h"

enum { DEPTH_MAX_DEFAULT = 256, VALUES_MAX_DEFAULT = 50000000, ALIAS_VALUES_MAX = 1000000, DUPLICATES_NAMED_MAX = 100 };

// One reading of one text.
typedef struct {
    Arena *arena;
    Slice file;
    bool strict;
    uint32_t depth_max, values_max;
    uint32_t values;     // so far in this document
    uint32_t duplicates; // keys given again, in all documents
    WarningVec *warnings;
    Err *err;
} Reading;

Reading reading_start(Arena *arena, Slice file, const ParseOptions *options, WarningVec *warnings, Err *err);

// "file:line: message", ERR_INVALID or `code`.
__attribute__((format(printf, 4, 5))) ErrCode reading_fail(const Reading *reading, ErrCode code, uint32_t line,
                                                           const char *format, ...);

// Counts a value at a depth against the bounds.
ErrCode reading_count(Reading *reading, uint32_t line, uint32_t depth);

// A map under construction: finds keys by hash once it is large.
typedef struct {
    ValueMap members;
    IndexMap index;
    Vec(bool) merged; // by number of the member: it comes from a merge and not from a key; ends with the last such one
} MapBuilder;

// Adds a member, or replaces the one of the same key with a warning (an error when strict).
ErrCode map_builder_put(Reading *reading, MapBuilder *builder, ValueMember member);

// Adds a member that another map gives (YAML's "<<"): it replaces what is there, and a later key replaces it, silently.
void map_builder_merge(Reading *reading, MapBuilder *builder, ValueMember member);

// Appends a document (for json.cpp, where the macros of base/vec.h do not compile).
void documents_add(Arena *arena, DocumentVec *documents, Document document);

// A short printable form of a piece of input for messages: at most 40 bytes, control characters as '?'.
Slice excerpt(Arena *arena, Slice text);

// Whether the bytes are UTF-8; ret_at: offset of the first byte that is not.
bool utf8_valid(Slice text, size_t *ret_at);
// 1-based line of an offset. O(offset).
uint32_t line_of(Slice text, size_t offset);
