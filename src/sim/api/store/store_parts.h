// What the files of the store share: history, and the tables by key, uid and owner. Private to src/sim/api/store*.c.
#pragma once

#include "sim/api/store/store.h"

// Takes references on both versions.
void history_add(History *history, uint32_t events_max, HistoryEvent event);
void history_forget(History *history, KubeRevision revision);
void history_free(History *history);
size_t history_bytes(const History *history);

// The tables: chains in an array of a power of two, grown when they are as many as the array is long.
void store_link_key(KindStore *kind, Entry *entry);
void store_unlink_key(KindStore *kind, Entry *entry);
void store_link_uid(Store *store, Entry *entry);
void store_unlink_uid(Store *store, Entry *entry);
// Replaces the links of `entry` to its owners by those of `object`'s ownerReferences.
void store_link_owners(Store *store, Entry *entry, const Value *object);
void store_unlink_owners(Store *store, Entry *entry);
