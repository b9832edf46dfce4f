// The hash that Karpenter compares objects by: that of Go's structures by mitchellh/hashstructure in its second format,
// with slices as sets and zero values left out, over FNV-1 (64 bit; multiply, then xor).
//
// A struct starts with its type's name and takes its fields in the order of their declaration; what Go takes for zero
// is left out by the caller. A map is the finish of the xor of its ordered pairs, a slice the xor of its elements.
// Reference scheduling.md 1.9, aws.md 1.4.
#pragma once

#include "base/slice.h"

#include <stdint.h>

// A text, or a value of fewer than eight bytes. O(length).
uint64_t struct_hash_bytes(const void *bytes, size_t len);
uint64_t struct_hash_text(Slice text);
// An int64 as a value, and the finish of a map.
uint64_t struct_hash_number(uint64_t number);
// A pair whose places are not the same: key and value.
uint64_t struct_hash_ordered(uint64_t a, uint64_t b);

uint64_t struct_hash_start(const char *type);
// Adds a field by its name in Go.
void struct_hash_add(uint64_t *hash, const char *field, uint64_t value);
