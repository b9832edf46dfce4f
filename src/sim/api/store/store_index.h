// Finding objects by key, by uid and by owner.
#pragma once

#include "sim/api/store/store_parts.h"

// The tables: chains in an array of a power of two, grown when they are as many as the array is long.
void store_link_key(KindStore *kind, Entry *entry);
void store_unlink_key(KindStore *kind, Entry *entry);
void store_link_uid(Store *store, Entry *entry);
void store_unlink_uid(Store *store, Entry *entry);

// Replaces the links of `entry` to its owners by those of `object`'s ownerReferences.
void store_link_owners(Store *store, Entry *entry, const Value *object);
void store_unlink_owners(Store *store, Entry *entry);
