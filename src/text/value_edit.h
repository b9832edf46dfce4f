// Changing trees of Values: what value.h reads and builds, taken apart and put together again.
//
// The tree that is changed must be the caller's own (value_copy makes one): value.h's parsers and builders may share
// subtrees. Memory of what is removed stays in its arena.
#pragma once

#include "text/value.h"

// A deep copy that shares nothing with `value`. O(size).
Value value_copy(Arena *arena, const Value *value);

// A copy whose lists and maps may be changed, but whose keys and texts are those of `value`. O(values).
Value value_copy_tree(Arena *arena, const Value *value);

// Member of a map by key, to be changed; NULL when absent or when `map` is no map. O(members).
Value *value_find(Value *map, Slice key);
#define value_find_text(map, literal) value_find((map), SLICE(literal))

// Walks several keys as value_at does, NULL-terminated; what is missing, null or no map on the way becomes an empty
// map. The keys must live as long as the tree.
__attribute__((sentinel)) Value *value_make(Arena *arena, Value *map, ...);

// Takes a member out, keeping the order of the others. Whether it was there. O(members).
bool value_remove(Value *map, Slice key);
#define value_remove_text(map, literal) value_remove((map), SLICE(literal))

// Takes element `at` out of a list, keeping the order. O(elements).
void value_list_remove(Value *list, uint32_t at);

// JSON merge patch (RFC 7386): members of `patch` replace those of `target`, maps are merged, null removes.
// The result may share texts with `patch`. O(size of both).
void value_merge_patch(Arena *arena, Value *target, const Value *patch);
