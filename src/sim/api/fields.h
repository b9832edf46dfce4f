// Sets of fields of an object, and their algebra: what server-side apply reckons with. Private to src/sim/api.
//
// A set is a tree of steps in the notation of FieldsV1: "f:spec", "k:{\"name\":\"c\"}" for an element of a list that is
// a map, "v:\"x\"" for an element of a set. A node may be a member itself, or only be on the way to members. All
// operations are O(nodes × siblings) and make new trees in the arena.
#pragma once

#include "text/value.h"

typedef struct Field Field;
typedef Vec(Field) FieldVec;

struct Field {
    Slice step; // empty: the root
    bool member;
    FieldVec children;
};

bool fields_are_empty(const Field *set);
Field fields_union(Arena *arena, const Field *a, const Field *b);
Field fields_intersection(Arena *arena, const Field *a, const Field *b);
Field fields_difference(Arena *arena, const Field *a, const Field *b);
bool fields_eq(const Field *a, const Field *b);
void fields_remove_step(Field *set, Slice step);

// To and from the fieldsV1 of an object.
Field fields_read(Arena *arena, const Value *fields_v1);
Value fields_print(Arena *arena, const Field *set);

// The paths of all members in the order of the API server: ".spec.containers[name=\"c\"].image".
void fields_list_paths(Arena *arena, const Field *set, SliceVec *paths);

// The fields that `config` holds: what an apply wants to own. `custom`: of a custom kind (list_schema.h).
Field fields_of(Arena *arena, const Value *config, bool custom);

// What changed from `old` to `next`.
typedef struct {
    Field set; // added or modified
    Field removed;
} FieldsChanged;
FieldsChanged fields_compare(Arena *arena, const Value *old, const Value *next, bool custom);

// Merges `config` into `target` by the rules of apply; and takes the members of a set out of a tree.
void fields_merge(Arena *arena, Value *target, const Value *config, bool custom);
void fields_remove_from(Arena *arena, Value *target, const Field *set, bool custom);
