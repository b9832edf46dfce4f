// From facts to the table's instances.
#include "cloud/aws/provider/publish.h"

#include "cloud/aws/provider/neighbours.h"

CloudInstance instance_publish(AwsProvider *provider, Arena *arena, const InstanceFacts *facts,
                               const InstanceTypeVec *types, const EC2NodeClass *class) {
    Symbols *symbols = words_begin(&provider->words, provider_now(provider).now.ns);
    CloudInstance instance = instance_to_cloud(arena, symbols, facts, types, class);

    words_end(&provider->words);
    return instance;
}

CloudInstance provider_instance(AwsProvider *provider, Arena *arena, const InstanceFacts *facts, Slice class_name) {
    const ProviderNeighbours *others = provider->neighbours;
    const ClassSnapshot *snapshot = class_name.len ? others->class_hold(provider, class_name) : NULL;
    const InstanceTypeVec *types = class_name.len ? others->types(provider, class_name) : NULL;
    CloudInstance instance = instance_publish(provider, arena, facts, types, snapshot ? &snapshot->class : NULL);

    others->class_release(snapshot);
    return instance;
}
