// Inside of the news, shared by its files.
#pragma once

#include "cloud/aws/events/health.h"
#include "cloud/aws/events/receipts.h"
#include "cloud/aws/events/roster.h"
#include "cloud/aws/events/zonal_shifts.h"
#include "cloud/aws/provider/news.h"

// A zone whose shift was told.
typedef struct {
    Slice zone_id;
    Symbol zone;
} ToldZone;
typedef Vec(ToldZone) ToldZoneVec;

struct ProviderNews {
    AwsProvider *provider;
    pthread_mutex_t lock; // guards the rest
    Roster roster;
    // The queue.
    char *url; // NULL: not asked for yet
    Receipts receipts;
    uint32_t rejects; // since they were last logged
    Mono rejects_logged;
    // Health.
    HealthWatch health;
    bool health_is_denied; // and was logged
    // Zonal shifts as they were last read, and the zones that were told.
    Arena shifts_arena;
    ZonalShiftVec shifts;
    Arena told_arena;
    ToldZoneVec told_zones;
    // Instances of reservations that end, which were told: hashes of their provider ids.
    uint64_t *told_ends;
    uint32_t told_ends_count;
};

// The instances that messages may be about, in `arena`; they are listed, if they never were. ERR_*: they cannot be.
ErrCode news_known(AwsProvider *provider, Arena *arena, KnownInstances *ret_known, CloudError *error);

// The zonal shifts of the cluster with that ARN (empty: it is not known), as provider_zones_refresh. zone_news.c.
ErrCode news_of_zones(AwsProvider *provider, Arena *arena, Slice arn, CloudMessageVec *ret_messages, CloudError *error);
