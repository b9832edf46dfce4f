// Structural hash by which Karpenter detects drift: mitchellh/hashstructure of Go structs in its format v2, with slices
// as sets and zero values ignored, over FNV-1 (64 bit; multiply, then xor).
//
// A struct starts with its type's name and adds its fields in the order of declaration; the caller leaves out fields
// with Go's zero value. A map is the finished xor of its ordered pairs, a slice the xor of its elements. Reference
// scheduling.md 1.9, aws.md 1.4.
#pragma once

#include "base/slice.h"

#include <stdint.h>

// Hash of a string, or of a value of less than eight bytes. O(length).
uint64_t struct_hash_bytes(const void *bytes, size_t len);
uint64_t struct_hash_text(Slice text);
// Hash of an int64, and the finish of a map.
uint64_t struct_hash_number(uint64_t number);
// Hash of an ordered pair: key and value.
uint64_t struct_hash_ordered(uint64_t a, uint64_t b);

uint64_t struct_hash_start(const char *type);
// Adds a field by its name in Go.
void struct_hash_add(uint64_t *hash, const char *field, uint64_t value);
