// Lists of types in as little memory as they need: without the room in which they were computed, and sharing with
// another list what is equal in both. Twenty classes that differ in their kubelets have the same labels and offerings.
#pragma once

#include "cloud/aws/market/type_list.h"

// Copies the types into a new list. `model`: a list with the same types, in whole or in part, in the same order; the
// new one holds it, or the one that it shares with itself. NULL: none. O(types × (labels + offerings)).
TypeList *type_list_pack(const InstanceTypeVec *types, TypeList *model);
