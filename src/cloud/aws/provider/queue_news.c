// The interruption queue. Reference aws.md 7.7.
#include "cloud/aws/events/queue.h"
#include "cloud/aws/provider/market.h"
#include "cloud/aws/provider/news_parts.h"

#include <stdlib.h>

static const int64_t REJECTS_LOG_NS = NS_PER_MIN;

static Slice queue_name(const AwsProvider *provider) {
    return provider->config.settings.interruption_queue;
}

// ERR_NOT_FOUND would mean that no queue is wanted.
static ErrCode fail_missing(const AwsProvider *provider, CloudError *error) {
    Slice name = queue_name(provider);

    return cloud_fail(error, ERR_IO,
                      "the interruption queue \"%.*s\" does not exist in %.*s: make it (aws sqs create-queue "
                      "--queue-name %.*s), or unset INTERRUPTION_QUEUE",
                      SLICE_ARG(name), SLICE_ARG(provider->region), SLICE_ARG(name));
}

static ErrCode fail(const AwsProvider *provider, CloudError *error, const char *what, const AwsOutcome *outcome,
                    const Err *err) {
    ErrCode code;

    if (outcome->kind == AWS_NOT_FOUND)
        return fail_missing(provider, error);
    code = provider_fail(error, what, outcome, err);
    if (outcome->kind == AWS_DENIED)
        return cloud_fail(error, code,
                          "%s: %s: tenon's role needs sqs:GetQueueUrl, sqs:ReceiveMessage and sqs:DeleteMessage on "
                          "the queue \"%.*s\" (tenon iam-policy prints the policy)",
                          what, err->text, SLICE_ARG(queue_name(provider)));
    return code;
}

// --- the queue's address

static Slice known_url(ProviderNews *news, Arena *arena) {
    Slice url = {0};

    pthread_mutex_lock(&news->lock);
    if (news->url)
        url = arena_slice(arena, slice_of(news->url));
    pthread_mutex_unlock(&news->lock);
    return url;
}

// NULL: to be asked for again.
static void set_url(ProviderNews *news, const Slice *url) {
    char *copy = NULL;

    if (url) {
        copy = alloc_raw(url->len + 1);
        memcpy(copy, url->ptr, url->len);
        copy[url->len] = '\0';
    }
    pthread_mutex_lock(&news->lock);
    free(news->url);
    news->url = copy;
    pthread_mutex_unlock(&news->lock);
}

static ErrCode find_url(AwsProvider *provider, Arena *arena, Slice *ret_url, CloudError *error) {
    const SqsGetQueueUrlInput input = {.queue_name = queue_name(provider)};
    SqsGetQueueUrlOutput output;
    AwsOutcome outcome;
    Err err;

    if (!queue_name(provider).len)
        return cloud_fail(error, ERR_NOT_FOUND, "no interruption queue is configured");
    *ret_url = known_url(provider->news, arena);
    if (ret_url->len)
        return OK;
    if (aws_call(provider->client, arena, &sqs_get_queue_url, &input, NULL, &output, &outcome, &err) != OK)
        return fail(provider, error, "cannot find the interruption queue", &outcome, &err);
    if (!output.queue_url.len)
        return cloud_fail(error, ERR_IO, "cannot find the interruption queue: SQS gives no address");
    *ret_url = output.queue_url;
    set_url(provider->news, ret_url);
    return OK;
}

// --- receiving

static ErrCode delete_message(AwsProvider *provider, Arena *arena, Slice url, Slice handle, AwsOutcome *outcome,
                              Err *err) {
    const SqsDeleteMessageInput input = {.queue_url = url, .receipt_handle = handle};

    return aws_call(provider->client, arena, &sqs_delete_message, &input, NULL, NULL, outcome, err);
}

// Logs broken messages, at most once a minute.
static void log_rejects(AwsProvider *provider, const QueueRejectVec *rejects) {
    ProviderNews *news = provider->news;
    Mono now = provider_now(provider).now;
    uint32_t count = 0;

    pthread_mutex_lock(&news->lock);
    news->rejects += rejects->count;
    if (mono_since(now, news->rejects_logged) >= REJECTS_LOG_NS) {
        count = news->rejects;
        news->rejects = 0;
        news->rejects_logged = now;
    }
    pthread_mutex_unlock(&news->lock);
    if (count)
        provider_log(provider, AWS_LOG_ERROR, "deleted messages of the interruption queue that cannot be read",
                     queue_name(provider), "%u; the last one: %s", count, vec_last(rejects)->err.text);
}

// What is broken never becomes better. What cannot be deleted now comes again.
static void delete_rejects(AwsProvider *provider, Arena *arena, Slice url, const QueueRejectVec *rejects) {
    if (!rejects->count)
        return;
    log_rejects(provider, rejects);
    for (vec_each(const QueueReject, reject, rejects)) {
        AwsOutcome outcome;
        Err err;

        if (reject->handle.len)
            delete_message(provider, arena, url, reject->handle, &outcome, &err);
    }
}

static void mark_losses(AwsProvider *provider, Arena *arena, const OfferingLossVec *losses) {
    UnavailableMarkVec marks = {0};

    for (vec_each(const OfferingLoss, loss, losses)) {
        if (loss->reservation_id != NAME_EMPTY)
            vec_push(arena, &marks, (UnavailableMark){.kind = UNAVAILABLE_RESERVATION, .id = loss->reservation_id});
        else
            vec_push(arena, &marks,
                     (UnavailableMark){.kind = UNAVAILABLE_OFFERING,
                                       .capacity_type = loss->capacity_type,
                                       .type = loss->instance_type,
                                       .zone = loss->zone});
    }
    provider_mark(provider, &marks);
}

static void keep_items(ProviderNews *news, Arena *arena, const QueueItemVec *items, CloudMessageVec *messages) {
    pthread_mutex_lock(&news->lock);
    for (vec_each(const QueueItem, item, items)) {
        CloudMessage *message = vec_add(arena, messages);

        *message = item->message;
        message->sent_ns = item->sent_ns;
        receipts_put(&news->receipts, message->receipt, item->handle);
    }
    pthread_mutex_unlock(&news->lock);
}

static uint64_t reserve(ProviderNews *news, uint32_t count) {
    uint64_t first;

    pthread_mutex_lock(&news->lock);
    first = receipts_reserve(&news->receipts, count);
    pthread_mutex_unlock(&news->lock);
    return first;
}

ErrCode provider_receive(AwsProvider *provider, Arena *arena, CloudMessageVec *ret_messages, CloudError *error) {
    ProviderNews *news = provider->news;
    CloudMessageVec messages = {0};
    SqsReceiveMessageInput input;
    SqsReceiveMessageOutput output;
    KnownInstances known;
    AwsOutcome outcome;
    QueueBatch batch;
    Slice url = {0};
    Err err;

    TRY(find_url(provider, arena, &url, error));
    TRY(news_known(provider, arena, &known, error));
    input = queue_receive_input(arena, url);
    if (aws_call(provider->client, arena, &sqs_receive_message, &input, NULL, &output, &outcome, &err) != OK) {
        if (outcome.kind == AWS_NOT_FOUND)
            set_url(news, NULL);
        return fail(provider, error, "cannot receive from the interruption queue", &outcome, &err);
    }
    if (output.messages.count) // instances may have been launched while it was waited
        TRY(news_known(provider, arena, &known, error));
    batch = queue_read(arena, &output, &known, reserve(news, output.messages.count));
    mark_losses(provider, arena, &batch.losses);
    delete_rejects(provider, arena, url, &batch.rejects);
    keep_items(news, arena, &batch.items, &messages);
    *ret_messages = messages;
    return OK;
}

// --- settling

// SQS says so of a handle that it has forgotten, and of the message with it.
static bool is_gone(const AwsOutcome *outcome) {
    return slice_eq_text(outcome->fault.code, "ReceiptHandleIsInvalid") ||
           slice_eq_text(outcome->fault.code, "InvalidParameterValue");
}

ErrCode provider_settle(AwsProvider *provider, uint64_t receipt, CloudError *error) {
    ProviderNews *news = provider->news;
    Arena arena = {0};
    AwsOutcome outcome;
    Slice handle, url = {0};
    ErrCode code = OK;
    Err err;

    pthread_mutex_lock(&news->lock);
    handle = receipts_get(&news->receipts, &arena, receipt);
    pthread_mutex_unlock(&news->lock);
    if (handle.len)
        code = find_url(provider, &arena, &url, error);
    if (handle.len && code == OK && delete_message(provider, &arena, url, handle, &outcome, &err) != OK &&
        !is_gone(&outcome))
        code = fail(provider, error, "cannot delete a message of the interruption queue", &outcome, &err);
    if (code == OK) {
        pthread_mutex_lock(&news->lock);
        receipts_remove(&news->receipts, receipt);
        pthread_mutex_unlock(&news->lock);
    }
    arena_free(&arena);
    return code;
}
