// Editing trees of Values.
//
// The tree that is changed must belong to the caller (value_copy makes one), because parsers and builders may share
// subtrees. Memory of what is removed stays in its arena.
#pragma once

#include "text/value.h"

// A deep copy that shares nothing with `value`. O(size).
Value value_copy(Arena *arena, const Value *value);

// A copy whose lists and maps may be changed; it shares the keys and texts of `value`. O(values).
Value value_copy_tree(Arena *arena, const Value *value);

// Member of a map by key, for changing it; NULL when absent or when `map` is not a map. O(members).
Value *value_find(Value *map, Slice key);
#define value_find_text(map, literal) value_find((map), SLICE(literal))

// Follows several keys like value_at, NULL-terminated; a member on the way that is missing, null or not a map becomes
// an empty map. The keys must live as long as the tree.
__attribute__((sentinel)) Value *value_make(Arena *arena, Value *map, ...);

// Removes a member and keeps the order of the others. Returns whether it was present. O(members).
bool value_remove(Value *map, Slice key);
#define value_remove_text(map, literal) value_remove((map), SLICE(literal))

// Removes element `at` of a list and keeps the order of the others. O(elements).
void value_list_remove(Value *list, uint32_t at);

// Sorts the members of a map by key; value_sort those of all maps in the tree. O(members × log members).
void value_sort_members(Value *map);
void value_sort(Value *value);

// JSON merge patch (RFC 7386): members of `patch` replace those of `target`, maps are merged, null removes.
// The result may share texts with `patch`. O(size of both).
void value_merge_patch(Arena *arena, Value *target, const Value *patch);
