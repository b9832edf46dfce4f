// A call for several launches, from its claims to their results.
#include "cloud/aws/provider/launches.h"

#include "cloud/aws/provider/launching/launching.h"

#include <stdlib.h>

enum { SWEPT_BY_A_CALL = 4 };

ProviderLaunches *provider_launches_new(AwsProvider *provider) {
    ProviderLaunches *made = NEW(ProviderLaunches);

    made->provider = provider;
    CHECK(pthread_mutex_init(&made->lock, NULL) == 0, "no mutex");
    template_book_init(&made->templates);
    return made;
}

void provider_launches_free(ProviderLaunches *launches) {
    subnet_book_free(&launches->subnets);
    token_book_free(&launches->tokens);
    token_book_free(&launches->fresh);
    template_book_free(&launches->templates);
    pthread_mutex_destroy(&launches->lock);
    free(launches);
}

// --- launches

static void begin(LaunchCall *call, const CloudLaunch *const *launches, CloudResult *ret_results) {
    const Symbols *symbols = &call->provider->symbols;

    call->items = arena_array(&call->scratch, LaunchItem, call->count);
    for (uint32_t i = 0; i < call->count; i++) {
        const ObjectMeta *meta = &launches[i]->claim->meta;

        call->items[i] = (LaunchItem){.launch = launches[i],
                                      .result = &ret_results[i],
                                      .uid = symbol_text(symbols, meta->uid),
                                      .name = symbol_text(symbols, meta->name)};
    }
}

static void load_templates(LaunchCall *call) {
    AwsProvider *provider = call->provider;
    Err err = {0};

    if (templates_load(&call->launches->templates, provider->client, provider->config.settings.cluster_name, &err) !=
        OK)
        provider_log(provider, AWS_LOG_ERROR, "failed listing launch templates", provider->config.settings.cluster_name,
                     "%s", err.text);
}

static void launch_new(LaunchCall *call) {
    LaunchPlanVec plans = {0};

    call->cluster = call->provider->neighbours->cluster_facts(call->provider, &call->scratch);
    launch_make_plans(call, &plans);
    if (!plans.count)
        return;
    load_templates(call);
    for (vec_each(LaunchPlan *, plan, &plans))
        launch_shares(call, *plan);
    templates_sweep(&call->launches->templates, call->provider->client, SWEPT_BY_A_CALL);
}

void provider_launch_many(AwsProvider *provider, Arena *arena, const CloudLaunch *const *launches, uint32_t count,
                          CloudResult *ret_results) {
    LaunchCall call = {.provider = provider, .launches = provider->launches, .arena = arena, .count = count};

    begin(&call, launches, ret_results);
    launch_find_classes(&call);
    launch_resume(&call);
    launch_new(&call);
    launch_release_classes(&call);
    arena_free(&call.scratch);
}

// --- what others say

void provider_subnets_seen(AwsProvider *provider, const Ec2SubnetVec *subnets) {
    ProviderLaunches *launches = provider->launches;

    pthread_mutex_lock(&launches->lock);
    subnet_book_refresh(&launches->subnets, &provider->symbols, subnets);
    pthread_mutex_unlock(&launches->lock);
}

ErrCode provider_templates_delete(AwsProvider *provider, Slice class_name, CloudError *error) {
    return templates_delete_of(&provider->launches->templates, provider->client, provider->config.settings.cluster_name,
                               class_name, error);
}

bool provider_launched_lately(AwsProvider *provider, Slice id) {
    ProviderLaunches *launches = provider->launches;
    const TokenEntry *entry;
    bool is_late;

    pthread_mutex_lock(&launches->lock);
    entry = token_book_get(&launches->fresh, id);
    is_late = entry && mono_since(provider_now(provider).now, entry->since) < LAUNCH_FRESH_NS;
    pthread_mutex_unlock(&launches->lock);
    return is_late;
}
