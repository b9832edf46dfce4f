// Internals of the provider, shared by its files. Private to cloud/aws/provider.
#pragma once

#include "aws/call/pages.h"
#include "base/alloc.h"
#include "cloud/aws/provider/provider.h"
#include "cloud/words.h"

#include <pthread.h>

// Each part has its header, its own lock, and is made and freed with the provider. A lock is never held during a call,
// nor while another part's function is called.
typedef struct ProviderCluster ProviderCluster;     // cluster.h: endpoint, version, addresses of the cluster
typedef struct ProviderClasses ProviderClasses;     // classes.h: NodeClasses as they were last found
typedef struct ProviderMarket ProviderMarket;       // market.h: types, prices, what has no capacity; types of a class
typedef struct ProviderLaunches ProviderLaunches;   // launches.h: launch templates, free addresses, tokens
typedef struct ProviderInstances ProviderInstances; // instances.h: the last list of instances
typedef struct ProviderNews ProviderNews;           // news.h: the queue, health, zonal shifts
// What launches and instances ask of the others (neighbours.h).
typedef struct ProviderNeighbours ProviderNeighbours;

struct AwsProvider {
    Arena arena; // of the settings' texts
    AwsConfig config;
    AwsClient *client;
    Slice region;
    Symbols symbols; // for reading, and for interning what is finite: types, zones, subnets. Permanent
    Words words;     // for interning what is of instances: ids, names of claims. With provider_now's time
    ProviderCluster *cluster;
    ProviderClasses *classes;
    ProviderMarket *market;
    ProviderLaunches *launches;
    ProviderInstances *instances;
    ProviderNews *news;
    const ProviderNeighbours *neighbours;
};

// The present by the session's transport: monotonic and wall time.
Moment provider_now(const AwsProvider *provider);
__attribute__((format(printf, 5, 6))) void provider_log(const AwsProvider *provider, AwsLogLevel level,
                                                        const char *message, Slice subject, const char *format, ...);

// Fills the error of a call of AWS that failed, and returns the code; ERR_NOT_FOUND only where the outcome says so.
ErrCode provider_fail(CloudError *error, const char *what, const AwsOutcome *outcome, const Err *err);
