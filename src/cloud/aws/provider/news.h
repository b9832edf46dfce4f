// What AWS tells of instances and zones: the interruption queue, health, zonal shifts, reservations that end. Reference
// aws.md 7.7 to 7.9.
#pragma once

#include "cloud/aws/provider/parts.h"

ProviderNews *provider_news_new(AwsProvider *provider);
void provider_news_free(ProviderNews *news);

// Of the table.
ErrCode provider_receive(AwsProvider *provider, Arena *arena, CloudMessageVec *ret_messages, CloudError *error);
ErrCode provider_settle(AwsProvider *provider, uint64_t receipt, CloudError *error);

// CLOUD_REFRESH_HEALTH, CLOUD_REFRESH_ZONES, CLOUD_REFRESH_RESERVATIONS.
ErrCode provider_health_refresh(AwsProvider *provider, Arena *arena, CloudMessageVec *ret_messages, CloudError *error);
ErrCode provider_zones_refresh(AwsProvider *provider, Arena *arena, CloudMessageVec *ret_messages, CloudError *error);
ErrCode provider_reservations_refresh(AwsProvider *provider, Arena *arena, CloudMessageVec *ret_messages,
                                      CloudError *error);

// All instances were listed: whom messages may be about from now on. Provider ids are symbols that somebody holds.
void provider_news_listed(AwsProvider *provider, const CloudInstanceVec *instances);
// Instances that were launched just now: EC2's own list may not show them yet.
void provider_news_launched(AwsProvider *provider, const CloudInstance *instance);
