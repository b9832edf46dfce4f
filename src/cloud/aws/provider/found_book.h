// The instances of the last whole list. Private to cloud/aws/provider.
#pragma once

#include "cloud/aws/fleet/found.h"
#include "cloud/aws/provider/parts.h"

struct ProviderInstances {
    AwsProvider *provider;
    pthread_mutex_t lock; // guards the rest
    Arena arena;
    FoundInstanceVec found; // by id
    Mono listed;            // when EC2 was asked for it; not set: never
    bool is_listing;        // somebody makes a list that others wait for
};

// Takes over a list that EC2 was asked for at that moment; texts are copied. O(instances).
void provider_found_put(AwsProvider *provider, const FoundInstanceVec *found, Mono asked);
// Whether there is a list that EC2 was asked for at that moment or later.
bool provider_found_since(AwsProvider *provider, Mono moment);
// True: the caller is the one that makes a list for all who need it, and says when that has ended.
bool provider_found_begin(AwsProvider *provider);
void provider_found_end(AwsProvider *provider);
// An instance of it, copied. False: it is not in the list. O(log instances).
bool provider_found_get(AwsProvider *provider, Arena *arena, Slice id, FoundInstance *ret_found);
