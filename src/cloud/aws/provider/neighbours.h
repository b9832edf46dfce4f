// What launches and instances ask of the provider's other parts, as a table: tests of launches answer for them.
#pragma once

#include "cloud/aws/provider/classes.h"
#include "cloud/aws/provider/cluster.h"
#include "cloud/aws/provider/market.h"

struct ProviderNeighbours {
    const ClassSnapshot *(*class_hold)(AwsProvider *provider, Slice name);
    void (*class_release)(const ClassSnapshot *snapshot);
    const InstanceTypeVec *(*types)(AwsProvider *provider, Slice class_name);
    bool (*launchable)(AwsProvider *provider, Arena *arena, Slice class_name, InstanceTypeVec *ret_types);
    bool (*is_confirmed)(AwsProvider *provider);
    ClusterFacts (*cluster_facts)(AwsProvider *provider, Arena *arena);
    ErrCode (*service_cidr)(AwsProvider *provider, Arena *arena, Slice *ret_cidr, CloudError *error);
    void (*mark)(AwsProvider *provider, const UnavailableMarkVec *marks);
    uint32_t (*launches_begin)(AwsProvider *provider, ShareOfferingVec *offerings, uint32_t launches, bool is_last);
    void (*launches_end)(AwsProvider *provider, const ShareOfferingVec *offerings, uint32_t launches,
                         const UnavailableMarkVec *launched);
    void (*reservation_launched)(AwsProvider *provider, Symbol reservation);
    void (*reservation_full)(AwsProvider *provider, Symbol reservation);
    void (*reservation_ended)(AwsProvider *provider, Symbol reservation, Slice instance);
    void (*launched)(AwsProvider *provider, const CloudInstance *instance);
    void (*listed)(AwsProvider *provider, const CloudInstanceVec *instances);
    bool (*zone_is_left)(AwsProvider *provider, Slice zone);
    Slice (*zone_id)(AwsProvider *provider, Slice zone);
};

// The parts themselves.
extern const ProviderNeighbours provider_neighbours;
