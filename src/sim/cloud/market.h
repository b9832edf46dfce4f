// Capacity pools: prices, depths, instances left.
#pragma once

#include "sim/cloud/cloud_parts.h"

void cloud_log_pool(SimCloud *cloud, Arena *arena, PoolLog *log, uint32_t number);
void cloud_pool_changed(SimCloud *cloud, uint32_t number); // records a change for the views

ErrCode cloud_market_make(SimCloud *cloud, Err *err);

// INDEX_NONE: none. A reservation is found by its id alone.
uint32_t cloud_market_find_pool(const SimCloud *cloud, Symbol type, Symbol zone, Symbol capacity_type);
uint32_t cloud_market_find_reservation(const SimCloud *cloud, Symbol id);
uint32_t cloud_pool_left(const SimCloud *cloud, const CapacityPool *pool); // UINT32_MAX: unlimited
void cloud_pool_settle(SimCloud *cloud, CapacityPool *pool);               // brings the integral up to now
void cloud_pool_reprice(SimCloud *cloud, uint32_t number);                 // after a change of swing or fault
void cloud_market_move_prices(SimCloud *cloud);                            // step of the random process
bool cloud_filter_matches(const SimCloud *cloud, const SimFilter *filter, const CapacityPool *pool);
