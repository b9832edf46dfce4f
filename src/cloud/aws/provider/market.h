// Instance types, prices, and what has no capacity: what can be launched now, for each NodeClass. Reference aws.md 4,
// 2.6, 3.6, 7.5.
//
// Lists are made when something changed (a class, the catalogue, prices), outside of the engine's thread, and are
// shared until they are replaced; a replaced list lives for an hour. What changes from minute to minute (marks, their
// ends, zones that are left, the room of reservations, learned memory) is laid over them when they are asked for.
#pragma once

#include "cloud/aws/launch/share.h"
#include "cloud/aws/provider/classes.h"

ProviderMarket *provider_market_new(AwsProvider *provider);
void provider_market_free(ProviderMarket *market);

// The types of a NodeClass with what is unavailable now; NULL: the class was not seen yet, has no subnets, or has
// something that no list can be made with. From memory. Any thread. O(classes); after a change a few ms. When changes
// come without end, lists follow them later and later, so that memory stays bounded.
// How long a list lives: cloud.h, instance_types.
const InstanceTypeVec *provider_types(AwsProvider *provider, Slice class_name);
// The same for a launch: as things stand at this moment, in `arena`, for as long as a ticket is held. False: as NULL
// above.
bool provider_types_launchable(AwsProvider *provider, Arena *arena, Slice class_name, InstanceTypeVec *ret_types);
// cloud.h, types_hold and types_release. O(tickets), and O(lists) that the last ticket of them gave free.
uint64_t provider_types_hold(AwsProvider *provider);
void provider_types_release(AwsProvider *provider, uint64_t ticket);
// A snapshot of a class was published (after a lookup that changed something), or its class is gone (NULL). Borrowed.
void provider_types_class_changed(AwsProvider *provider, Slice class_name, const ClassSnapshot *snapshot);

// What metrics show: aws_provider_market.
MarketFacts provider_market_facts(AwsProvider *provider, Arena *arena);

// Marks of a launch or of a message: of offerings as long as their trouble says, of others for three minutes.
void provider_mark(AwsProvider *provider, const UnavailableMarkVec *marks);
// Launches are to begin, and have ended with an instance of each of those offerings (trouble_book.h).
uint32_t provider_launches_begin(AwsProvider *provider, ShareOfferingVec *offerings, uint32_t launches, bool is_last);
void provider_launches_end(AwsProvider *provider, const ShareOfferingVec *offerings, uint32_t launches,
                           const UnavailableMarkVec *launched);
// An instance was launched into a reservation, the reservation turned out to be full, or an instance that was in it is
// gone (once for each instance).
void provider_reservation_launched(AwsProvider *provider, Symbol reservation);
void provider_reservation_full(AwsProvider *provider, Symbol reservation);
void provider_reservation_ended(AwsProvider *provider, Symbol reservation, Slice instance);

// Zones (by id) that the cluster is shifted away from now: nothing of them is available.
void provider_zones_left(AwsProvider *provider, const SliceVec *zone_ids);
// The zone of that id, by the subnets of the classes; NAME_EMPTY: none is known. Ids of the built-in catalogue are
// another account's. O(subnets).
Symbol provider_zone_of_id(AwsProvider *provider, Slice zone_id);
// The id of a zone, by the same; empty: nobody knows it. Permanent.
Slice provider_zone_id(AwsProvider *provider, Slice zone);
// Whether the cluster is shifted away from the zone of that name: its instances are to be left alone. O(subnets × zones
// left).
bool provider_zone_is_left(AwsProvider *provider, Slice zone);

// The capacity reservations of all classes, once each for each class that has it. Texts are copied.
CapacityReservationVec provider_market_reservations(AwsProvider *provider, Arena *arena);

// CLOUD_REFRESH_INSTANCE_TYPES, CLOUD_REFRESH_PRICES: all of it, or what was known stays.
ErrCode provider_types_refresh(AwsProvider *provider, CloudError *error);
ErrCode provider_prices_refresh(AwsProvider *provider, CloudError *error);
// Whether types and zones are those of the account, so that something may be launched.
bool provider_market_is_confirmed(AwsProvider *provider);

// Of the table.
ErrCode provider_learn(AwsProvider *provider, const NodeClaim *claim, int64_t memory, CloudError *error);
// Writes what was learned since it was last written, at most once a minute. Blocks.
void provider_learned_write(AwsProvider *provider);
