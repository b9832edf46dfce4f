// Shapes: what the values of requests and replies are, in memory and on the wire. All of AWS's protocols read and write
// by these tables.
//
// A structure is declared once, as a list of its members, from which both the struct and its table are made:
//   #define EC2_TAG(X, T) X(T, STRING, key, "key") X(T, STRING, value, "value")
//   AWS_STRUCT(Ec2Tag, EC2_TAG);   in the header: the structs Ec2Tag and Ec2TagVec
//   AWS_SHAPE(Ec2Tag, EC2_TAG);    in the source: the table
// Only members that tenon needs are listed; others are skipped in replies.
//
// Every member can be absent, which {0} means: a string whose ptr is NULL, a number whose `has` is false, a structure
// that is NULL, a list or map whose items are NULL. The empty string and the empty list are something else. All memory
// of a reply lies in the arena that it was read into.
#pragma once

#include "base/vec.h"

typedef struct {
    bool value, has;
} AwsBool;

typedef struct {
    int64_t value;
    bool has;
} AwsInteger;

typedef struct {
    double value;
    bool has;
} AwsReal;

typedef struct {
    int64_t ns; // since 1970
    bool has;
} AwsTime;

static inline AwsBool aws_bool(bool value) {
    return (AwsBool){value, true};
}

static inline AwsInteger aws_integer(int64_t value) {
    return (AwsInteger){value, true};
}

static inline AwsReal aws_real(double value) {
    return (AwsReal){value, true};
}

static inline AwsTime aws_time(int64_t ns) {
    return (AwsTime){ns, true};
}

// An entry of a map of strings; keys are in the order of the wire.
typedef struct {
    Slice key, value;
} AwsStringEntry;
typedef Vec(AwsStringEntry) AwsStringMap;

// The value of a key; absent: ptr NULL. O(entries).
Slice aws_string_map_get(const AwsStringMap *map, Slice key);

typedef enum {
    AWS_STRING,    // Slice, UTF-8
    AWS_BLOB,      // Slice of bytes; base64 on the wire
    AWS_BOOL,      // AwsBool
    AWS_INTEGER,   // AwsInteger
    AWS_REAL,      // AwsReal
    AWS_TIME,      // AwsTime
    AWS_STRUCTURE, // a member: const T *; an element of a list or map: T
    AWS_LIST,      // Vec(T)
    AWS_MAP,       // Vec(struct { Slice key; T value; })
} AwsKind;

// How a time is written. All formats are read wherever a time is expected.
typedef enum {
    AWS_TIME_USUAL,     // ISO 8601 in the query protocols, seconds since 1970 in JSON
    AWS_TIME_ISO_8601,  // 2026-11-23T08:00:00Z
    AWS_TIME_UNIX,      // 1795420800
    AWS_TIME_HTTP_DATE, // Mon, 23 Nov 2026 08:00:00 GMT
} AwsTimeFormat;

typedef struct AwsShape AwsShape;

typedef struct {
    Slice name; // on the wire; the EC2 protocol writes its first letter as a capital
    const AwsShape *shape;
    size_t offset; // in the struct
} AwsMember;

struct AwsShape {
    AwsKind kind;
    AwsTimeFormat time_format;
    size_t size; // AWS_STRUCTURE: of the struct; AWS_LIST: of an element; AWS_MAP: of an entry
    const AwsMember *members;
    uint32_t member_count;
    const AwsShape *element; // of a list; of a map: its values
    size_t value_offset;     // AWS_MAP: of the value in an entry
    // The query protocols' names of elements; NULL: "member", or "entry", "key" and "value".
    const char *element_name, *key_name, *value_name;
    bool is_flat; // list or map of the query protocols: its elements stand in its place
};

extern const AwsShape aws_shape_string, aws_shape_blob, aws_shape_bool, aws_shape_integer, aws_shape_real,
    aws_shape_time;
extern const AwsShape aws_shape_strings;    // SliceVec
extern const AwsShape aws_shape_string_map; // AwsStringMap

// A list or a map whatever its elements are: how protocols see it.
typedef struct {
    void *items;
    uint32_t count, capacity;
} AwsItems;

// Appends a zeroed element of the shape's size. O(1) amortised.
void *aws_items_add(Arena *arena, const AwsShape *shape, AwsItems *items);
// Makes an absent list or map an empty one.
void aws_items_begin(Arena *arena, AwsItems *items);

static inline void *aws_items_at(const AwsShape *shape, const AwsItems *items, uint32_t index) {
    return (char *)items->items + index * shape->size;
}

// The member of that name, byte by byte; NULL: none. O(members).
const AwsMember *aws_member_find(const AwsShape *structure, Slice name);

// What a row X(T, KIND, field, "name on the wire"[, type]) becomes in the struct, …
#define AWS_FIELD_STRING(field, ...)     Slice field;
#define AWS_FIELD_BLOB(field, ...)       Slice field;
#define AWS_FIELD_BOOL(field, ...)       AwsBool field;
#define AWS_FIELD_INTEGER(field, ...)    AwsInteger field;
#define AWS_FIELD_REAL(field, ...)       AwsReal field;
#define AWS_FIELD_TIME(field, ...)       AwsTime field;
#define AWS_FIELD_STRUCTURE(field, type) const type *field;
#define AWS_FIELD_LIST(field, type)      type##Vec field;
#define AWS_FIELD_STRINGS(field, ...)    SliceVec field;
#define AWS_FIELD_STRING_MAP(field, ...) AwsStringMap field;
// … and in the table.
#define AWS_SHAPE_STRING()        &aws_shape_string
#define AWS_SHAPE_BLOB()          &aws_shape_blob
#define AWS_SHAPE_BOOL()          &aws_shape_bool
#define AWS_SHAPE_INTEGER()       &aws_shape_integer
#define AWS_SHAPE_REAL()          &aws_shape_real
#define AWS_SHAPE_TIME()          &aws_shape_time
#define AWS_SHAPE_STRUCTURE(type) &shape_of_##type
#define AWS_SHAPE_LIST(type)                                                                                           \
    &(const AwsShape) {                                                                                                \
        .kind = AWS_LIST, .size = sizeof(type), .element = &shape_of_##type                                            \
    }
#define AWS_SHAPE_STRINGS()    &aws_shape_strings
#define AWS_SHAPE_STRING_MAP() &aws_shape_string_map

#define AWS_FIELD(T, KIND, field, name, ...)  AWS_FIELD_##KIND(field, __VA_ARGS__)
#define AWS_MEMBER(T, KIND, field, name, ...) {SLICE_INIT(name), AWS_SHAPE_##KIND(__VA_ARGS__), offsetof(T, field)},

// Declares a structure by its members, and vectors of it.
#define AWS_STRUCT(type, MEMBERS)                                                                                      \
    typedef struct type type;                                                                                          \
    typedef Vec(type) type##Vec;                                                                                       \
    struct type {                                                                                                      \
        MEMBERS(AWS_FIELD, type)                                                                                       \
    };                                                                                                                 \
    extern const AwsShape shape_of_##type
// Defines its table.
#define AWS_SHAPE(type, MEMBERS)                                                                                       \
    static const AwsMember members_of_##type[] = {MEMBERS(AWS_MEMBER, type)};                                          \
    const AwsShape shape_of_##type = {                                                                                 \
        .kind = AWS_STRUCTURE,                                                                                         \
        .size = sizeof(type),                                                                                          \
        .members = members_of_##type,                                                                                  \
        .member_count = sizeof members_of_##type / sizeof *members_of_##type,                                          \
    }
