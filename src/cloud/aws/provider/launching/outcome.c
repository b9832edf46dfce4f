// Results of claims.
#include "cloud/aws/nodeclass_hash.h"
#include "cloud/aws/provider/launching/launching.h"
#include "cloud/aws/provider/publish.h"

static void annotate(LaunchCall *call, Symbols *symbols, Labels *annotations, const char *key, Slice value) {
    if (value.len)
        labels_set(call->arena, annotations, symbol_intern(symbols, slice_of(key)), symbol_intern(symbols, value));
}

// What the NodeClaim says of its class from now on: drift is found by it, and profiles are kept by it.
static Labels annotations_of(LaunchCall *call, const ClassSnapshot *snapshot) {
    AwsProvider *provider = call->provider;
    Symbols *symbols = words_begin(&provider->words, provider_now(provider).now.ns);
    Labels annotations = {0};

    annotate(call, symbols, &annotations, "karpenter.k8s.aws/ec2nodeclass-hash", snapshot->hash);
    annotate(call, symbols, &annotations, "karpenter.k8s.aws/ec2nodeclass-hash-version",
             SLICE(EC2_NODE_CLASS_HASH_VERSION));
    annotate(call, symbols, &annotations, "karpenter.k8s.aws/instance-profile-name",
             snapshot->class.found.instance_profile);
    words_end(&provider->words);
    return annotations;
}

static void note_fresh(LaunchCall *call, Slice id) {
    Mono now = provider_now(call->provider).now;
    const TokenEntry entry = {.uid = id, .since = now};

    pthread_mutex_lock(&call->launches->lock);
    token_book_put(&call->launches->fresh, &entry, now);
    pthread_mutex_unlock(&call->launches->lock);
}

void launch_succeed(LaunchCall *call, LaunchItem *item, const InstanceFacts *facts) {
    const ProviderNeighbours *others = call->provider->neighbours;
    const ClassSnapshot *snapshot = item->class->snapshot;
    CloudInstance instance =
        instance_publish(call->provider, call->arena, facts, &item->class->types, &snapshot->class);

    instance.annotations = annotations_of(call, snapshot);
    *item->result = (CloudResult){.code = OK, .instance = instance};
    item->is_done = true;
    note_fresh(call, facts->id);
    if (facts->capacity_type == NAME_RESERVED)
        others->reservation_launched(call->provider, symbol_intern(&call->provider->symbols, facts->reservation_id));
    others->launched(call->provider, &instance);
}

void launch_fail(LaunchItem *item, const CloudError *error) {
    *item->result = (CloudResult){.code = error->err.code, .error = *error};
    item->is_done = true;
}

void launch_fail_all(LaunchItemVec *items, const CloudError *error) {
    for (vec_each(LaunchItem *, item, items))
        launch_fail(*item, error);
    items->count = 0;
}

void launch_count_failures(LaunchCall *call, const LaunchPlan *plan, const FleetReading *reading) {
    AwsProvider *provider = call->provider;
    const AwsProviderCounts *counts = &provider->config.counts;
    Slice capacity_type = symbol_text(&provider->symbols, plan->choice.capacity_type);

    for (vec_each(const FleetFailure, failure, &reading->failures)) {
        if (counts->launch_failed)
            counts->launch_failed(counts->context, failure->zone,
                                  provider->neighbours->zone_id(provider, failure->zone), capacity_type,
                                  failure->reason);
    }
}
