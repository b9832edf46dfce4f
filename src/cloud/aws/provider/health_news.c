// Instances that EC2 calls impaired, or has planned something for. Reference aws.md 7.8.
#include "cloud/aws/provider/market.h"
#include "cloud/aws/provider/news_parts.h"

enum { PARTS_MAX = 64 }; // details of a check, events of an instance

// Statuses of the cluster's instances, copied from all pages.
typedef struct {
    Arena *arena;
    const KnownInstances *known;
    Ec2InstanceStatusVec statuses;
} Gathering;

static const Ec2StatusSummary *copy_summary(Arena *arena, const Ec2StatusSummary *summary) {
    Ec2StatusSummary *copy;

    if (!summary)
        return NULL;
    copy = arena_new(arena, Ec2StatusSummary);
    copy->status = arena_slice(arena, summary->status);
    for (uint32_t i = 0; i < summary->details.count && i < PARTS_MAX; i++) {
        const Ec2StatusDetail *detail = &summary->details.items[i];

        vec_push(arena, &copy->details,
                 (Ec2StatusDetail){arena_slice(arena, detail->name), arena_slice(arena, detail->status),
                                   detail->impaired_since});
    }
    return copy;
}

static bool add_page(void *context, const void *output) {
    Gathering *gathering = context;
    const Ec2DescribeInstanceStatusOutput *page = output;
    Arena *arena = gathering->arena;

    for (vec_each(const Ec2InstanceStatus, status, &page->instance_statuses)) {
        Ec2InstanceStatus *copy;

        if (!known_instance_find(gathering->known, status->instance_id))
            continue;
        copy = vec_add(arena, &gathering->statuses);
        copy->instance_id = arena_slice(arena, status->instance_id);
        copy->instance_status = copy_summary(arena, status->instance_status);
        copy->system_status = copy_summary(arena, status->system_status);
        for (uint32_t i = 0; i < status->events.count && i < PARTS_MAX; i++)
            vec_push(arena, &copy->events,
                     (Ec2StatusEvent){arena_slice(arena, status->events.items[i].code),
                                      arena_slice(arena, status->events.items[i].description)});
    }
    return true;
}

// Without the right the process goes on without this, as upstream does.
static void give_up(AwsProvider *provider, const Err *err) {
    ProviderNews *news = provider->news;

    pthread_mutex_lock(&news->lock);
    news->health_is_denied = true;
    pthread_mutex_unlock(&news->lock);
    provider_log(provider, AWS_LOG_ERROR, "the health of instances is not watched until tenon is restarted",
                 SLICE("ec2:DescribeInstanceStatus"), "%s", err->text);
}

static ErrCode gather(AwsProvider *provider, Gathering *gathering, bool *is_denied, CloudError *error) {
    const AwsPageVisitor visitor = {add_page, gathering};
    HealthQueryVec queries = health_queries(gathering->arena);

    for (vec_each(const Ec2DescribeInstanceStatusInput, query, &queries)) {
        AwsOutcome outcome;
        Err err;

        if (aws_pages(provider->client, gathering->arena, &ec2_describe_instance_status, query, NULL, &visitor,
                      &outcome, &err) == OK)
            continue;
        *is_denied = outcome.kind == AWS_DENIED;
        if (!*is_denied)
            return provider_fail(error, "cannot look at the health of instances", &outcome, &err);
        give_up(provider, &err);
        return OK;
    }
    return OK;
}

static CloudMessageKind message_kind(HealthCategory category) {
    return category == HEALTH_INSTANCE ? CLOUD_MESSAGE_INSTANCE_IMPAIRED
           : category == HEALTH_SYSTEM ? CLOUD_MESSAGE_HOST_IMPAIRED
                                       : CLOUD_MESSAGE_EVENT_SCHEDULED;
}

// A message for each category, apart for those that are new.
static void add_messages(Arena *arena, const HealthFactVec *facts, CloudMessageVec *messages) {
    for (int category = 0; category < HEALTH_CATEGORY_COUNT; category++) {
        for (int is_new = 1; is_new >= 0; is_new--) {
            CloudMessage message = {.kind = message_kind(category), .is_repeated = !is_new};

            for (vec_each(const HealthFact, fact, facts)) {
                if ((int)fact->category == category && fact->is_new == is_new)
                    vec_push(arena, &message.provider_ids, fact->provider_id);
            }
            if (message.provider_ids.count)
                vec_push(arena, messages, message);
        }
    }
}

static bool health_is_denied(ProviderNews *news) {
    bool is_denied;

    pthread_mutex_lock(&news->lock);
    is_denied = news->health_is_denied;
    pthread_mutex_unlock(&news->lock);
    return is_denied;
}

ErrCode provider_health_refresh(AwsProvider *provider, Arena *arena, CloudMessageVec *ret_messages, CloudError *error) {
    ProviderNews *news = provider->news;
    CloudMessageVec messages = {0};
    Gathering gathering = {.arena = arena};
    bool is_denied = health_is_denied(news);
    KnownInstances known;
    HealthFactVec facts;

    provider_learned_write(provider); // what comes by once a minute
    if (!is_denied) {
        TRY(news_known(provider, arena, &known, error));
        gathering.known = &known;
        TRY(gather(provider, &gathering, &is_denied, error));
    }
    if (!is_denied) {
        pthread_mutex_lock(&news->lock);
        facts = health_watch_look(&news->health, arena, &known, &gathering.statuses, provider_now(provider).wall_ns);
        pthread_mutex_unlock(&news->lock);
        add_messages(arena, &facts, &messages);
    }
    *ret_messages = messages;
    return OK;
}
