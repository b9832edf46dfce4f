// Sets of fields of an object, and their algebra: what server-side apply reckons with. Private to src/sim/api.
//
// A set is a tree of steps in the notation of FieldsV1: "f:spec", "k:{\"name\":\"c\"}" for an element of a list that is
// a map, "v:\"x\"" for an element of a set. A node may be a member itself, or only be on the way to members. All
// operations are O(nodes × siblings) and make new trees in the arena.
#pragma once

#include "text/value.h"

typedef struct FieldPath FieldPath;
typedef Vec(FieldPath) FieldVec;

struct FieldPath {
    Slice step; // empty: the root
    bool member;
    FieldVec children;
};

bool fields_are_empty(const FieldPath *set);
FieldPath fields_union(Arena *arena, const FieldPath *a, const FieldPath *b);
FieldPath fields_intersection(Arena *arena, const FieldPath *a, const FieldPath *b);
FieldPath fields_difference(Arena *arena, const FieldPath *a, const FieldPath *b);
bool fields_eq(const FieldPath *a, const FieldPath *b);
void fields_remove_step(FieldPath *set, Slice step);

// To and from the fieldsV1 of an object.
FieldPath fields_read(Arena *arena, const Value *fields_v1);
Value fields_print(Arena *arena, const FieldPath *set);

// The paths of all members in the order of the API server: ".spec.containers[name=\"c\"].image".
void fields_list_paths(Arena *arena, const FieldPath *set, SliceVec *paths);

// The fields that `config` holds: what an apply wants to own. `custom`: of a custom kind (api/apply/list_schema.h).
FieldPath fields_of(Arena *arena, const Value *config, bool custom);

// What changed from `old` to `next`.
typedef struct {
    FieldPath set; // added or modified
    FieldPath removed;
} FieldsChanged;
FieldsChanged fields_compare(Arena *arena, const Value *old, const Value *next, bool custom);

// Merges `config` into `target` by the rules of apply; and takes the members of a set out of a tree.
void fields_merge(Arena *arena, Value *target, const Value *config, bool custom);
void fields_remove_from(Arena *arena, Value *target, const FieldPath *set, bool custom);
