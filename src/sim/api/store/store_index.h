// Hash tables of the store: by key, by uid and by owner.
#pragma once

#include "sim/api/store/store_parts.h"

// Chained tables with a power of two of buckets; they grow when there are as many entries as buckets.
void store_link_key(KindStore *kind, Entry *entry);
void store_unlink_key(KindStore *kind, Entry *entry);
void store_link_uid(Store *store, Entry *entry);
void store_unlink_uid(Store *store, Entry *entry);

// Replaces the links of `entry` to its owners by those of `object`'s ownerReferences.
void store_link_owners(Store *store, Entry *entry, const Value *object);
void store_unlink_owners(Store *store, Entry *entry);
