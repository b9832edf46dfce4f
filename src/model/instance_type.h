// InstanceType: instance types and their offerings, as a cloud can launch them.
//
// A provider lists every type it knows, unavailable ones too (offerings with available = false). Behaviour: reference
// scheduling.md 3.4.
#pragma once

#include "model/labels.h"
#include "model/objects.h"
#include "model/requirement.h"
#include "model/resources.h"

typedef struct {
    Requirements requirements; // zone, capacity type, and the provider's own (zone id, reservation id)
    Symbol zone, capacity_type;
    double price_per_hour; // US dollars
    bool price_estimated;  // derived from other prices, not read from a price list
    bool available;
    Symbol reservation_id;        // of a reserved offering, else NAME_EMPTY
    int32_t reservation_capacity; // instances left in the reservation
    bool has_override;            // the two below override the type's capacity and overhead, key by key
    Resources capacity_override, overhead_override;
} Offering;
typedef Vec(Offering) OfferingVec;

typedef struct {
    Symbol name;
    Requirements requirements; // labels; a well-known label that the type lacks has DoesNotExist
    OfferingVec offerings;
    Resources capacity;
    Resources overhead;           // kube reserved + system reserved + eviction threshold
    VolumeLimitVec volume_limits; // attachable volumes per CSI driver; drivers not listed are unlimited
} InstanceType;
typedef Vec(InstanceType) InstanceTypeVec;

// The type of that name, or NULL. O(types).
const InstanceType *instance_type_find(const InstanceTypeVec *types, Symbol name);

// Allocatable: capacity − overhead over the keys of capacity; memory also minus every hugepages-* amount; at least 0.
// `offering` may be NULL, or one with an override.
Resources instance_type_allocatable(Arena *arena, const Symbols *symbols, const InstanceType *type,
                                    const Offering *offering);
Resources instance_type_capacity(Arena *arena, const InstanceType *type, const Offering *offering);
