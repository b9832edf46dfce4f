// Whom the news are about.
#include "cloud/aws/provider/instances.h"
#include "cloud/aws/provider/news_parts.h"

#include <stdlib.h>

ProviderNews *provider_news_new(AwsProvider *provider) {
    ProviderNews *news = NEW(ProviderNews);

    news->provider = provider;
    CHECK(pthread_mutex_init(&news->lock, NULL) == 0, "no mutex");
    roster_init(&news->roster, &provider->symbols);
    receipts_init(&news->receipts);
    return news;
}

void provider_news_free(ProviderNews *news) {
    roster_free(&news->roster);
    receipts_free(&news->receipts);
    health_watch_free(&news->health);
    arena_free(&news->shifts_arena);
    arena_free(&news->told_arena);
    free(news->told_ends);
    free(news->url);
    pthread_mutex_destroy(&news->lock);
    free(news);
}

void provider_news_listed(AwsProvider *provider, const CloudInstanceVec *instances) {
    ProviderNews *news = provider->news;
    Mono now = provider_now(provider).now;

    pthread_mutex_lock(&news->lock);
    roster_list(&news->roster, instances, now);
    pthread_mutex_unlock(&news->lock);
}

void provider_news_launched(AwsProvider *provider, const CloudInstance *instance) {
    ProviderNews *news = provider->news;
    Mono now = provider_now(provider).now;

    pthread_mutex_lock(&news->lock);
    roster_add(&news->roster, instance, now);
    pthread_mutex_unlock(&news->lock);
}

static bool is_listed(ProviderNews *news) {
    bool is_listed;

    pthread_mutex_lock(&news->lock);
    is_listed = news->roster.is_listed;
    pthread_mutex_unlock(&news->lock);
    return is_listed;
}

// Before the first list every message would be about nobody, and be lost.
static ErrCode list_first(AwsProvider *provider, Arena *arena, CloudError *error) {
    CloudInstanceVec instances = {0};

    if (is_listed(provider->news))
        return OK;
    TRY(provider_list(provider, arena, &instances, error));
    if (!is_listed(provider->news))
        provider_news_listed(provider, &instances);
    return OK;
}

ErrCode news_known(AwsProvider *provider, Arena *arena, KnownInstances *ret_known, CloudError *error) {
    ProviderNews *news = provider->news;

    TRY(list_first(provider, arena, error));
    pthread_mutex_lock(&news->lock);
    *ret_known = roster_known(&news->roster, arena, &provider->symbols);
    pthread_mutex_unlock(&news->lock);
    return OK;
}
