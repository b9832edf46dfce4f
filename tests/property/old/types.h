// The instance types of the property test of old objects: a table, and the same as a catalogue for the planner.
#pragma once

#include "base/buffer.h"

#include <stdint.h>

enum { OLD_ZONES = 3, OLD_CAPACITIES = 2, OLD_TYPE_LABELS = 8 };

typedef struct {
    const char *labels[OLD_TYPE_LABELS]; // values, in the order of old_type_keys
    int64_t cpu_milli, memory_mib;       // of the machine
    int64_t price_micro;                 // on demand in the first zone
    uint32_t zones;                      // bits: where it is sold
} OldType;

extern const char *const old_type_keys[OLD_TYPE_LABELS]; // the first one is the type's name
extern const OldType old_types[];
extern const uint32_t old_type_count;
extern const char *const old_zones[OLD_ZONES], *const old_capacities[OLD_CAPACITIES];

// What pods cannot use of a node.
enum { OLD_OVERHEAD_MILLI = 100, OLD_OVERHEAD_MIB = 100 };

// Price of an offering in millionths of a dollar an hour.
int64_t old_price_micro(const OldType *type, uint32_t zone, uint32_t capacity);

// Appends the catalogue as JSON, as `--catalog` reads it.
void old_catalog_print(Buffer *out);
