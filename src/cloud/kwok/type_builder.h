// TypeDraft: builds an InstanceType as KWOK's provider does: labels from the name and the offerings, fixed overhead,
// 110 pods. Used for the default types and for JSON lists.
#pragma once

#include "model/instance_type.h"

typedef struct {
    Symbol name, arch;
    SymbolVec systems;
    Resources capacity;    // pods: 110 when absent
    Slice cpu, memory;     // as canonical quantities, for the labels; empty when the type has none
    OfferingVec offerings; // with zone and capacity type set
    bool has_overhead;
    Resources overhead; // default: 100m CPU, 10Mi memory
    Requirements extra; // further labels of the type
    VolumeLimitVec volume_limits;
} TypeDraft;

InstanceType kwok_build_type(Arena *arena, Symbols *symbols, const TypeDraft *draft);

// The size in an AWS name ("m5.large" gives "large"), else `cpu`. Points into its arguments.
Slice kwok_size(Slice name, Slice cpu);
// The part of the name before the first '.' or '-', else its first character.
Slice kwok_family(Slice name);
