// What Karpenter's defaulting webhook added to a Provisioner.
#pragma once

#include "legacy/objects.h"

// Appends the requirements that are missing (legacy.md 2.5), in its order: os, arch, capacity type, categories and
// generation. Returns how many. Labels do not count. O(requirements).
uint32_t provisioner_default(Arena *arena, OldProvisioner *provisioner);

// A requirement as it is written; without values it has no such member. O(values).
Value old_requirement_value(Arena *arena, const OldRequirement *requirement);
