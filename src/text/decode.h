// Decoder: Values to structs, driven by tables of fields. All objects are read this way.
//
// A table lists the fields that tenon reads; other members are ignored. A wrong type is reported with the path from the
// object's root, what was expected, and its position:
//   spec.template.spec.requirements[2].operator: expected string, got number (pools.yaml:41, NodePool general)
// null counts as absent. Strings are interned or copied into the decoder's arena, so the Value may be freed.
#pragma once

#include "base/symbol.h"
#include "text/quantity.h"
#include "text/value.h"

typedef struct FieldTable FieldTable;
typedef struct Decoder Decoder;

typedef enum {
    FIELD_STRING,  // Slice
    FIELD_SYMBOL,  // Symbol
    FIELD_BOOL,    // bool
    FIELD_INT32,   // int32_t
    FIELD_INT64,   // int64_t
    FIELD_REAL,    // double
    FIELD_TIME,    // int64_t, nanoseconds since 1970
    FIELD_OBJECT,  // struct inside the struct, `table`
    FIELD_POINTER, // pointer to a struct of `table`, NULL when absent
    FIELD_LIST,    // Vec(struct) of `table`
    FIELD_SYMBOLS, // Vec(Symbol), a list of strings
    FIELD_VALUE,   // const Value *: the raw tree, NULL when absent
    FIELD_CUSTOM,  // `custom` decodes into the field
} FieldKind;

// Decodes one `value` that is not null into the field at `ret_field`. Reports errors by decode_fail.
typedef ErrCode (*FieldDecode)(Decoder *decoder, const Value *value, void *ret_field, Err *err);

typedef struct {
    const char *name;
    FieldKind kind;
    bool required;           // absent or null is an error: "<path>: required"
    size_t offset;           // of the field in the struct
    size_t has_offset;       // of a bool that records whether the field was present; SIZE_MAX: none
    const FieldTable *table; // FIELD_OBJECT, FIELD_POINTER, FIELD_LIST
    FieldDecode custom;      // FIELD_CUSTOM
} Field;

struct FieldTable {
    size_t struct_size; // of the struct that the fields are in
    const Field *fields;
    size_t count;
};

enum { DECODE_DEPTH_MAX = 64 };

// One step of the path: a member name or a list index.
typedef struct {
    Slice name; // empty: `index`
    uint32_t index;
} PathStep;

struct Decoder {
    Arena *arena; // memory of what the decoded structs point to
    Symbols *symbols;
    // For messages: the file, and, where known, the object ("NodePool", "", "general").
    Slice file, kind, ns, name;
    PathStep path[DECODE_DEPTH_MAX];
    uint32_t depth;
};

// Decodes a map into the struct at `ret_object`, which the caller has zeroed. O(members × fields of each table).
// ERR_INVALID: a wrong type, a missing required field, or an error of a custom decoder. ERR_RANGE: valid, but does not
// fit. On failure the struct may be filled in part: decode into a local and copy.
ErrCode decode_object(Decoder *decoder, const Value *value, const FieldTable *table, void *ret_object, Err *err);

// Enters a member or an element in the path, for a custom decoder; pairs with decode_leave.
void decode_enter(Decoder *decoder, Slice name);
void decode_enter_index(Decoder *decoder, uint32_t index);
void decode_leave(Decoder *decoder);

// Reports "<path>: <message> (<file>:<line>, <object>)" and returns the code: ERR_INVALID for what an API server
// refuses too, ERR_RANGE for what it accepts and tenon cannot represent.
__attribute__((format(printf, 5, 6))) ErrCode decode_fail_as(const Decoder *decoder, const Value *value, ErrCode code,
                                                             Err *err, const char *format, ...);
#define decode_fail(decoder, value, err, ...) decode_fail_as((decoder), (value), ERR_INVALID, (err), __VA_ARGS__)

// For the static analyzer, as in base/err.h.
#ifdef __clang_analyzer__
#define decode_fail_as(decoder, value, code, ...)                                                                      \
    ((void)decode_fail_as((decoder), (value), (code), __VA_ARGS__), (code))
#endif

// "expected <what>, got <kind>" when the kind differs, else OK.
ErrCode decode_expect(const Decoder *decoder, const Value *value, ValueKind kind, Err *err);

#define FIELD(struct_, member, json, kind_, ...)                                                                       \
    { .name = (json), .kind = (kind_), .offset = offsetof(struct_, member), .has_offset = SIZE_MAX, __VA_ARGS__ }
// FIELD with a bool member that records whether the field was present.
#define FIELD_HAS(struct_, member, has_member, json, kind_, ...)                                                       \
    {                                                                                                                  \
        .name = (json), .kind = (kind_), .offset = offsetof(struct_, member),                                          \
        .has_offset = offsetof(struct_, has_member), __VA_ARGS__                                                       \
    }
#define FIELD_CUSTOM_WITH(struct_, member, json, decode, ...)                                                          \
    FIELD(struct_, member, json, FIELD_CUSTOM, .custom = (decode), __VA_ARGS__)

// A JSON object whose members are fields of the same struct: {"spec": {"weight": 5}} into NodePool.weight.
#define FIELD_FLAT(json, table_, ...)                                                                                  \
    { .name = (json), .kind = FIELD_OBJECT, .has_offset = SIZE_MAX, .table = &(table_), __VA_ARGS__ }
#define FIELD_FLAT_HAS(struct_, has_member, json, table_)                                                              \
    { .name = (json), .kind = FIELD_OBJECT, .has_offset = offsetof(struct_, has_member), .table = &(table_) }

#define FIELD_TABLE(struct_, array)                                                                                    \
    { sizeof(struct_), (array), sizeof(array) / sizeof *(array) }
