// Resources: lists of resource amounts, for requests, capacity and limits.
//
// Amounts are int64 in base units: CPU in milli-CPU, everything else in units (bytes for memory and storage). A list
// is sorted by symbol and has each resource once; an absent resource is 0 unless a function says otherwise.
// Behaviour: reference scheduling.md 3.2. Sums saturate at INT64_MAX.
#pragma once

#include "model/names.h"
#include "text/quantity.h"

typedef struct {
    Symbol resource;
    int64_t amount;
} ResourceAmount;

typedef struct {
    ResourceAmount *items;
    uint32_t count, capacity; // grows as a Vec
} Resources;

// The scale of a resource's base unit.
static inline QuantityScale resource_scale(Symbol resource) {
    return resource == NAME_CPU ? QUANTITY_MILLI : QUANTITY_UNIT;
}

// Amount of a resource, 0 when absent. O(resources).
int64_t resources_get(const Resources *list, Symbol resource);
bool resources_has(const Resources *list, Symbol resource);
void resources_set(Arena *arena, Resources *list, Symbol resource, int64_t amount);

// to += from; to = max(to, from); to -= from (over the keys of both; may become negative).
void resources_add(Arena *arena, Resources *to, const Resources *from);
void resources_max(Arena *arena, Resources *to, const Resources *from);
void resources_subtract(Arena *arena, Resources *to, const Resources *from);
Resources resources_copy(Arena *arena, const Resources *list);

// Whether every requested amount is at most that of `total` (absent: 0) and no amount of `total` is negative.
bool resources_fit(const Resources *requested, const Resources *total);
bool resources_eq(const Resources *a, const Resources *b);

// Formats an amount: CPU as decimal, memory and storage as binary ("1500m", "2Gi").
Slice resource_print(Arena *arena, Symbol resource, int64_t amount);
// {"cpu":"1","pods":"1"} with keys sorted by text, as in Karpenter's messages.
Slice resources_print_json(Arena *arena, const Symbols *symbols, const Resources *list);
