// The parts as they are.
#include "cloud/aws/provider/neighbours.h"

#include "cloud/aws/provider/news.h"

const ProviderNeighbours provider_neighbours = {
    .class_hold = provider_class_hold,
    .class_release = provider_class_release,
    .types = provider_types,
    .launchable = provider_types_launchable,
    .is_confirmed = provider_market_is_confirmed,
    .cluster_facts = provider_cluster_facts,
    .service_cidr = provider_service_cidr,
    .mark = provider_mark,
    .launches_begin = provider_launches_begin,
    .launches_end = provider_launches_end,
    .reservation_launched = provider_reservation_launched,
    .reservation_full = provider_reservation_full,
    .reservation_ended = provider_reservation_ended,
    .launched = provider_news_launched,
    .listed = provider_news_listed,
    .zone_is_left = provider_zone_is_left,
    .zone_id = provider_zone_id,
};
