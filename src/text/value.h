// Value: documents as trees, parsed from YAML and JSON, and printed as such.
//
// A Value has the line it came from, so that an error about a document can name its position. Maps keep the order of
// their members. Memory: the arena given to the parser or builder; strings may point into the parsed text, which must
// live as long.
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

typedef enum { VALUE_NULL, VALUE_BOOL, VALUE_NUMBER, VALUE_STRING, VALUE_LIST, VALUE_MAP } ValueKind;

typedef struct Value Value;
typedef struct ValueMember ValueMember;
typedef Vec(Value) ValueList;
typedef Vec(ValueMember) ValueMap;

struct Value {
    ValueKind kind;
    uint32_t line; // 1-based line in its text; 0: made by tenon
    union {
        bool boolean;
        Slice text; // VALUE_STRING: the decoded string. VALUE_NUMBER: the number as written, in JSON's grammar
        ValueList list;
        ValueMap map;
    };
};

struct ValueMember {
    Slice key;
    uint32_t line; // of the key
    Value value;
};

// A document and its origin, for messages: "pools.yaml", "-" for standard input.
typedef struct {
    Slice file;
    Value root;
} Document;
typedef Vec(Document) DocumentVec;

// A note about input that is accepted (a duplicate key, an ignored kind).
typedef struct {
    Slice text;   // one line, begins with file:line
    bool mistake; // strict reading refuses it
} Warning;
typedef Vec(Warning) WarningVec;

// Options of the parsers; {0} means the defaults.
typedef struct {
    bool strict;         // duplicate keys are errors; otherwise the last one wins with a warning
    uint32_t depth_max;  // nesting; default 256
    uint32_t values_max; // values in one document after expansion of aliases; default 50 million
} ParseOptions;

// "null", "bool", "number", "string", "list", "map": the words used in messages.
const char *value_kind_text(ValueKind kind);

// Member of a map by key, NULL when absent or when `value` is not a map. O(members).
const Value *value_get(const Value *value, Slice key);
#define value_get_text(value, literal) value_get((value), SLICE(literal))
// Follows several keys: value_at(v, "spec", "template", NULL).
__attribute__((sentinel)) const Value *value_at(const Value *value, ...);

// Builders. Numbers are written as given.
Value value_null(void);
Value value_bool(bool boolean);
Value value_int(Arena *arena, int64_t number);
// Formats a double, which must be finite, as the shortest decimal that reads back as the same number, like Go's
// encoding/json.
Value value_real(Arena *arena, double number);
Value value_string(Slice text); // not copied
Value value_list(void);
Value value_map(void);
// Appends to a list; returns the new element.
Value *value_append(Arena *arena, Value *list, Value element);
// Adds or replaces a member of a map; returns its value. O(members).
Value *value_put(Arena *arena, Value *map, Slice key, Value value);

// Number as int64 if it is an integer in range ("3", "3.0", "3e2"). False otherwise.
bool value_to_int64(const Value *value, int64_t *ret_number);
bool value_to_double(const Value *value, double *ret_number);

// Whether two trees are equal (lines and member order do not matter, numbers are compared as text).
bool value_eq(const Value *a, const Value *b);

// Whether a tree (NULL: nothing) has what `wanted` says, whatever else is in its maps: members of maps by key, null for
// one that is absent or null, lists whole and in order, an empty one for one that is absent. O(size of `wanted` ×
// members).
bool value_has(const Value *value, const Value *wanted);
