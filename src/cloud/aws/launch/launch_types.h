// Instance types during the choice for a launch: copies that have only the offerings that the launch may still use.
#pragma once

#include "model/instance_type.h"

// What a launch asks for. Borrowed.
typedef struct {
    Symbols *symbols;
    const Requirements *requirements; // of the claim
    const Resources *requests;
    bool min_values_strict; // policy of minValues; else they are wishes
} LaunchWish;

// Whether the claim allows the value of a label; without a requirement it allows every one. O(log keys + log values).
bool launch_allows(const LaunchWish *wish, Symbol key, Symbol value);

// Whether a launch may use the offering: it is available and, of a reservation, has room. O(1).
bool launch_offering_is_usable(const Offering *offering);

// The price of the cheapest offering; without one infinite. O(offerings).
double launch_type_price(const InstanceType *type);

// Whether any type has an offering of the capacity type. O(offerings).
bool launch_types_have(const InstanceTypeVec *types, Symbol capacity_type);

// Keeps the offerings that `keep` wants, in place and in order, and the types that have one left. O(offerings).
typedef bool LaunchKeep(const void *context, const InstanceType *type, const Offering *offering);
void launch_types_keep(InstanceTypeVec *types, LaunchKeep *keep, const void *context);
