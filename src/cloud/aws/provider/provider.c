// The table of functions, and making a provider.
#include "cloud/aws/provider/provider.h"

#include "cloud/aws/provider/class/profiles.h"
#include "cloud/aws/provider/classes.h"
#include "cloud/aws/provider/cluster.h"
#include "cloud/aws/provider/instances.h"
#include "cloud/aws/provider/launches.h"
#include "cloud/aws/provider/market.h"
#include "cloud/aws/provider/neighbours.h"
#include "cloud/aws/provider/news.h"
#include "cloud/aws/repair_table.h"

#include <stdlib.h>

// --- the table

// The answer for one, of a function for several.
static ErrCode of_one(const CloudResult *result, CloudInstance *ret_instance, CloudError *error) {
    if (result->code == OK && ret_instance)
        *ret_instance = result->instance;
    if (result->code != OK && error)
        *error = result->error;
    return result->code;
}

// Calls that read lists of instance types hold them from their beginning to their end.
static void call_launch_many(void *self, Arena *arena, const CloudLaunch *const *launches, uint32_t count,
                             CloudResult *ret_results) {
    uint64_t ticket = provider_types_hold(self);

    provider_launch_many(self, arena, launches, count, ret_results);
    provider_types_release(self, ticket);
}

static ErrCode call_launch(void *self, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                           CloudError *error) {
    CloudResult result = {0};

    call_launch_many(self, arena, &launch, 1, &result);
    return of_one(&result, ret_instance, error);
}

static ErrCode call_terminate(void *self, Symbol provider_id, CloudError *error) {
    CloudResult result = {0};
    Arena arena = {0};

    provider_terminate_many(self, &arena, &provider_id, 1, &result);
    arena_free(&arena);
    return of_one(&result, NULL, error);
}

static ErrCode call_reboot(void *self, Symbol provider_id, Slice operation, CloudError *error) {
    return provider_reboot(self, provider_id, operation, error);
}

static void call_get_many(void *self, Arena *arena, const Symbol *provider_ids, uint32_t count,
                          CloudResult *ret_results) {
    uint64_t ticket = provider_types_hold(self);

    provider_get_many(self, arena, provider_ids, count, ret_results);
    provider_types_release(self, ticket);
}

static ErrCode call_get(void *self, Arena *arena, Symbol provider_id, CloudInstance *ret_instance, CloudError *error) {
    CloudResult result = {0};

    call_get_many(self, arena, &provider_id, 1, &result);
    return of_one(&result, ret_instance, error);
}

static ErrCode call_list(void *self, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error) {
    uint64_t ticket = provider_types_hold(self);
    ErrCode code = provider_list(self, arena, ret_instances, error);

    provider_types_release(self, ticket);
    return code;
}

static ErrCode call_instance_types(void *self, const NodePool *pool, const InstanceTypeVec **ret_types,
                                   CloudError *error) {
    AwsProvider *provider = self;
    Slice name = symbol_text(&provider->symbols, pool->template_spec.node_class.name);
    const InstanceTypeVec *types = provider_types(provider, name);

    if (!types)
        return cloud_fail(error, ERR_NOT_FOUND, "EC2NodeClass \"%.*s\" is not known yet", SLICE_ARG(name));
    *ret_types = types;
    return OK;
}

static uint64_t call_types_hold(void *self) {
    return provider_types_hold(self);
}

static void call_types_release(void *self, uint64_t ticket) {
    provider_types_release(self, ticket);
}

static ErrCode call_is_drifted(void *self, const NodeClaim *claim, Slice *ret_reason, CloudError *error) {
    uint64_t ticket = provider_types_hold(self);
    ErrCode code = provider_is_drifted(self, claim, ret_reason, error);

    provider_types_release(self, ticket);
    return code;
}

static RepairPolicies call_repair_policies(void *self, const NodePool *pool) {
    (void)self, (void)pool;
    return aws_repair_policies();
}

static ErrCode call_receive(void *self, Arena *arena, CloudMessageVec *ret_messages, CloudError *error) {
    return provider_receive(self, arena, ret_messages, error);
}

static ErrCode call_settle(void *self, uint64_t receipt, CloudError *error) {
    return provider_settle(self, receipt, error);
}

static void call_terminate_many(void *self, Arena *arena, const Symbol *provider_ids, uint32_t count,
                                CloudResult *ret_results) {
    provider_terminate_many(self, arena, provider_ids, count, ret_results);
}

// Karpenter's windows (reference aws.md 2.2). Tenon's own: like launches are a call a second, since EC2 lets an account
// make five fleets a second; the first of them does not wait; and what asks for all instances, at the same moments
// every two minutes, shares one list.
static const CloudWindows *call_windows(void *self) {
    static const CloudWindows windows = {
        .launch = {.idle_ns = 35 * NS_PER_MS, .longest_ns = NS_PER_S, .most = 1000, .apart_ns = NS_PER_S},
        .terminate = {.idle_ns = 100 * NS_PER_MS, .longest_ns = NS_PER_S, .most = 500},
        .get = {.idle_ns = 100 * NS_PER_MS, .longest_ns = NS_PER_S, .most = 500},
        .list = {.idle_ns = NS_PER_S, .longest_ns = NS_PER_S, .most = 1000}};

    (void)self;
    return &windows;
}

static ErrCode call_class_resolve(void *self, Arena *arena, Slice name, CloudClass *ret_class, CloudError *error) {
    uint64_t ticket = provider_types_hold(self);
    ErrCode code = provider_class_resolve(self, arena, name, ret_class, error);

    provider_types_release(self, ticket);
    return code;
}

static ErrCode call_class_finalize(void *self, Slice name, CloudError *error) {
    return provider_class_finalize(self, name, error);
}

static ErrCode call_tag(void *self, const NodeClaim *claim, CloudError *error) {
    return provider_tag(self, claim, error);
}

static ErrCode call_learn(void *self, const NodeClaim *claim, int64_t memory, CloudError *error) {
    return provider_learn(self, claim, memory, error);
}

static uint32_t call_refreshes(void *self) {
    const AwsProviderSettings *settings = &((const AwsProvider *)self)->config.settings;
    uint32_t all = (1u << CLOUD_REFRESH_COUNT) - 1;

    if (!settings->enable_zonal_shift)
        all &= ~(1u << CLOUD_REFRESH_ZONES);
    if (settings->isolated_vpc)
        all &= ~(1u << CLOUD_REFRESH_PROFILES);
    if (!settings->reserved_capacity)
        all &= ~(1u << CLOUD_REFRESH_RESERVATIONS);
    return all;
}

static ErrCode call_refresh(void *self, Arena *arena, CloudRefresh what, CloudMessageVec *ret_messages,
                            CloudError *error) {
    switch (what) {
    case CLOUD_REFRESH_INSTANCE_TYPES:
        return provider_types_refresh(self, error);
    case CLOUD_REFRESH_PRICES:
        return provider_prices_refresh(self, error);
    case CLOUD_REFRESH_IMAGES:
        return provider_images_refresh(self, error);
    case CLOUD_REFRESH_VERSION:
        return provider_version_refresh(self, error);
    case CLOUD_REFRESH_PROFILES:
        return provider_profiles_refresh(self, error);
    case CLOUD_REFRESH_RESERVATIONS:
        return provider_reservations_refresh(self, arena, ret_messages, error);
    case CLOUD_REFRESH_HEALTH:
        return provider_health_refresh(self, arena, ret_messages, error);
    case CLOUD_REFRESH_ZONES:
        return provider_zones_refresh(self, arena, ret_messages, error);
    case CLOUD_REFRESH_COUNT:
        break;
    }
    return OK;
}

static const char *const *call_late_labels(void *self) {
    static const char *const keys[] = {"karpenter.k8s.aws/placement-group-partition", NULL};

    (void)self;
    return keys;
}

Cloud aws_provider_cloud(AwsProvider *provider) {
    static const CloudTable table = {
        .launch = call_launch,
        .terminate = call_terminate,
        .reboot = call_reboot,
        .get = call_get,
        .list = call_list,
        .instance_types = call_instance_types,
        .types_hold = call_types_hold,
        .types_release = call_types_release,
        .is_drifted = call_is_drifted,
        .repair_policies = call_repair_policies,
        .receive = call_receive,
        .settle = call_settle,
        .launch_many = call_launch_many,
        .terminate_many = call_terminate_many,
        .get_many = call_get_many,
        .windows = call_windows,
        .class_resolve = call_class_resolve,
        .class_finalize = call_class_finalize,
        .late_labels = call_late_labels,
        .tag = call_tag,
        .learn = call_learn,
        .refreshes = call_refreshes,
        .refresh = call_refresh,
    };

    return (Cloud){&table, provider};
}

MarketFacts aws_provider_market(AwsProvider *provider, Arena *arena) {
    return provider_market_facts(provider, arena);
}

// --- making a provider

static void keep_texts(AwsProvider *provider) {
    AwsProviderSettings *settings = &provider->config.settings;
    Slice *const texts[] = {&settings->cluster_name,          &settings->cluster_endpoint,
                            &settings->cluster_ca_bundle,     &settings->interruption_queue,
                            &provider->config.kube_ca_bundle, &provider->config.namespace};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = arena_slice(&provider->arena, *texts[i]);
}

AwsProvider *aws_provider_new(const AwsConfig *config) {
    AwsProvider *provider = NEW(AwsProvider);

    provider->config = *config;
    keep_texts(provider);
    provider->client = aws_session_client(config->session);
    provider->region = aws_client_region(provider->client);
    provider->symbols = (Symbols){config->symbols->table, NULL};
    words_init(&provider->words, &provider->symbols, provider_now(provider).now.ns);
    provider->cluster = provider_cluster_new(provider);
    provider->market = provider_market_new(provider);
    provider->classes = provider_classes_new(provider);
    provider->launches = provider_launches_new(provider);
    provider->instances = provider_instances_new(provider);
    provider->news = provider_news_new(provider);
    provider->neighbours = &provider_neighbours;
    return provider;
}

void aws_provider_free(AwsProvider *provider) {
    if (!provider)
        return;
    provider_news_free(provider->news);
    provider_instances_free(provider->instances);
    provider_launches_free(provider->launches);
    provider_classes_free(provider->classes);
    provider_market_free(provider->market);
    provider_cluster_free(provider->cluster);
    words_free(&provider->words);
    arena_free(&provider->arena);
    free(provider);
}
