// Capacity pools: prices, depths, what is left.
#pragma once

#include "sim/cloud/cloud_parts.h"

void cloud_log_pool(SimCloud *cloud, Arena *arena, PoolLog *log, uint32_t number);
void cloud_pool_changed(SimCloud *cloud, uint32_t number); // what a view shows of it

ErrCode cloud_market_make(SimCloud *cloud, Err *err);

// INDEX_NONE: none. Of a reservation by its id alone.
uint32_t cloud_market_find_pool(const SimCloud *cloud, Symbol type, Symbol zone, Symbol capacity_type);
uint32_t cloud_market_find_reservation(const SimCloud *cloud, Symbol id);
uint32_t cloud_pool_left(const SimCloud *cloud, const CapacityPool *pool); // UINT32_MAX: endless
void cloud_pool_settle(SimCloud *cloud, CapacityPool *pool);               // integral up to now
void cloud_pool_reprice(SimCloud *cloud, uint32_t number);                 // after swing or fault changed
void cloud_market_move_prices(SimCloud *cloud);                            // the random process
bool cloud_filter_matches(const SimCloud *cloud, const SimFilter *filter, const CapacityPool *pool);
