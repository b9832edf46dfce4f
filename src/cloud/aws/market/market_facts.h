// MarketFacts: what can be launched, of all NodeClasses together, as metrics show it. Reference aws.md 9.1.
#pragma once

#include "base/map.h"
#include "model/instance_type.h"

typedef struct {
    Slice name;
    int64_t milli_cpus, memory; // bytes
} TypeFact;

// Of several reservations for a type in a zone, one offering.
typedef struct {
    Slice type, capacity_type, zone;
    double price_per_hour; // of the cheapest; 0: not known
    bool is_available;     // to a NodeClass at least
} OfferingFact;

// An offering that lately had no capacity (trouble.h).
typedef struct {
    Slice type, capacity_type, zone;
    Slice group; // placement group, "/" and its partition; empty: none
    int64_t left_ns;
    uint32_t launches;
} TroubleFact;

// {0} is empty. In the order of what was added.
typedef struct {
    Vec(TypeFact) types;
    Vec(OfferingFact) offerings;
    Vec(TroubleFact) troubles;
    Vec(const InstanceType *) seen; // the first types of lists
    IndexMap types_by_name, offerings_by_name;
} MarketFacts;

// Adds the list of a NodeClass, which lives as long as lists are added; one that was added before costs nothing.
// `has_reserved`: zones have a reserved offering of each type, unavailable where there is no reservation. Texts are the
// symbols'. O(offerings) expected.
void market_facts_add(Arena *arena, const Symbols *symbols, MarketFacts *facts, const InstanceTypeVec *types,
                      bool has_reserved);
